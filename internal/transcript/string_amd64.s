#include "textflag.h"

// Constants of 32 bytes: each byte repeated, and the two halves of a table that says
// which bytes may follow a backslash (the AND of both look-ups is not zero for them):
// high nibble 2 → 1 (" /), 5 → 2 (\), 6 → 4 (b f n), 7 → 8 (r t u).
DATA quote<>+0(SB)/8, $0x2222222222222222
DATA quote<>+8(SB)/8, $0x2222222222222222
DATA quote<>+16(SB)/8, $0x2222222222222222
DATA quote<>+24(SB)/8, $0x2222222222222222
GLOBL quote<>(SB), RODATA|NOPTR, $32

DATA slash<>+0(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA slash<>+8(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA slash<>+16(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA slash<>+24(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL slash<>(SB), RODATA|NOPTR, $32

DATA control<>+0(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA control<>+8(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA control<>+16(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA control<>+24(SB)/8, $0x1f1f1f1f1f1f1f1f
GLOBL control<>(SB), RODATA|NOPTR, $32

DATA nibble<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibble<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibble<>+16(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibble<>+24(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL nibble<>(SB), RODATA|NOPTR, $32

DATA letteru<>+0(SB)/8, $0x7575757575757575
DATA letteru<>+8(SB)/8, $0x7575757575757575
DATA letteru<>+16(SB)/8, $0x7575757575757575
DATA letteru<>+24(SB)/8, $0x7575757575757575
GLOBL letteru<>(SB), RODATA|NOPTR, $32

DATA low<>+0(SB)/8, $0x00040808000d0000
DATA low<>+8(SB)/8, $0x0104000200000000
DATA low<>+16(SB)/8, $0x00040808000d0000
DATA low<>+24(SB)/8, $0x0104000200000000
GLOBL low<>(SB), RODATA|NOPTR, $32

DATA high<>+0(SB)/8, $0x0804020000010000
DATA high<>+8(SB)/8, $0x0000000000000000
DATA high<>+16(SB)/8, $0x0804020000010000
DATA high<>+24(SB)/8, $0x0000000000000000
GLOBL high<>(SB), RODATA|NOPTR, $32

// func skipBlocks(p *byte, n int) (i int, state int)
//
// Walks the inside of a JSON string in blocks of 64 bytes, a bit for each byte. i is how
// far it came and state why it stopped there; see string_amd64.go.
TEXT ·skipBlocks(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), DX
	VMOVDQU quote<>(SB), Y0
	VMOVDQU slash<>(SB), Y1
	VMOVDQU control<>(SB), Y2
	VMOVDQU nibble<>(SB), Y3
	VMOVDQU low<>(SB), Y4
	VMOVDQU high<>(SB), Y5
	VMOVDQU letteru<>(SB), Y6
	VPXOR Y15, Y15, Y15
	XORQ AX, AX  // i
	XORQ R8, R8  // 1: the block's first byte is escaped
	XORQ R15, R15
	MOVQ $0x5555555555555555, R14

loop:
	LEAQ 64(AX), R9
	CMPQ R9, DX
	JGT  tail
	VMOVDQU (SI)(AX*1), Y7
	VMOVDQU 32(SI)(AX*1), Y8
	VPCMPEQB Y7, Y1, Y9
	VPCMPEQB Y8, Y1, Y10
	VPMOVMSKB Y9, BX
	VPMOVMSKB Y10, R10
	SHLQ $32, R10
	ORQ  R10, BX // backslashes
	VPCMPEQB Y7, Y0, Y9
	VPCMPEQB Y8, Y0, Y10
	VPMOVMSKB Y9, CX
	VPMOVMSKB Y10, R10
	SHLQ $32, R10
	ORQ  R10, CX // quotes
	VPMINUB Y7, Y2, Y9
	VPMINUB Y8, Y2, Y10
	VPCMPEQB Y7, Y9, Y9
	VPCMPEQB Y8, Y10, Y10
	VPMOVMSKB Y9, DI
	VPMOVMSKB Y10, R10
	SHLQ $32, R10
	ORQ  R10, DI // control characters
	MOVQ BX, R10
	ORQ  R8, R10
	JNZ  escapes
	MOVQ CX, R10
	ORQ  DI, R10
	JNZ  stop
	MOVQ R9, AX
	JMP  loop

stop:
	// No escape in the block: the first quote or control character decides.
	BSFQ R10, R11
	ADDQ R11, AX
	BTQ  R11, CX
	JCC  bad
	INCQ AX
	MOVQ AX, i+16(FP)
	MOVQ R15, state+24(FP)
	VZEROUPPER
	RET

escapes:
	// escaped (R12): which bytes a backslash escapes, by runs of backslashes.
	MOVQ R8, R10
	NOTQ R10
	ANDQ R10, BX         // an escaped backslash starts nothing
	LEAQ (BX)(BX*1), R11
	ORQ  R8, R11         // follows an escape
	MOVQ R14, R10
	ORQ  R11, R10
	NOTQ R10
	ANDQ BX, R10         // runs that start on an odd bit
	XORL R13, R13
	ADDQ BX, R10         // carried to their ends
	SETCS R13            // a run leaves the block
	ADDQ R10, R10
	XORQ R14, R10
	ANDQ R11, R10
	MOVQ R10, R12
	NOTQ R10
	ANDQ R10, CX         // quotes that end the string

	// Which bytes must not be escaped, and where \u stands.
	VPAND Y3, Y7, Y9
	VPAND Y3, Y8, Y10
	VPSHUFB Y9, Y4, Y9
	VPSHUFB Y10, Y4, Y10
	VPSRLW $4, Y7, Y11
	VPSRLW $4, Y8, Y12
	VPAND Y3, Y11, Y11
	VPAND Y3, Y12, Y12
	VPSHUFB Y11, Y5, Y11
	VPSHUFB Y12, Y5, Y12
	VPAND Y9, Y11, Y9
	VPAND Y10, Y12, Y10
	VPCMPEQB Y9, Y15, Y9
	VPCMPEQB Y10, Y15, Y10
	VPCMPEQB Y7, Y6, Y11
	VPCMPEQB Y8, Y6, Y12
	VPOR Y9, Y11, Y9
	VPOR Y10, Y12, Y10
	VPMOVMSKB Y9, R10
	VPMOVMSKB Y10, R11
	SHLQ $32, R11
	ORQ  R11, R10
	ANDQ R12, R10        // wrong or \u: the caller looks at it
	ORQ  R10, DI
	JNZ  doubt
	TESTQ CX, CX
	JNZ  found
	ORQ  $4, R15
	MOVQ R13, R8
	MOVQ R9, AX
	JMP  loop

doubt:
	// It matters only before the string's end.
	BSFQ DI, R10
	BSFQ CX, R11
	JZ   slow
	CMPQ R11, R10
	JGT  slow

found:
	BSFQ CX, R11
	LEAQ 1(AX)(R11*1), AX
	BSFQ BX, R10
	JZ   ended
	CMPQ R10, R11
	JGE  ended
	ORQ  $4, R15         // an escape stands before the end

ended:
	MOVQ AX, i+16(FP)
	MOVQ R15, state+24(FP)
	VZEROUPPER
	RET

slow:
	// The caller goes on by bytes, from the backslash where one was open.
	SUBQ R8, AX
	ORQ  $2, R15
	MOVQ AX, i+16(FP)
	MOVQ R15, state+24(FP)
	VZEROUPPER
	RET

tail:
	SUBQ R8, AX
	ORQ  $1, R15
	MOVQ AX, i+16(FP)
	MOVQ R15, state+24(FP)
	VZEROUPPER
	RET

bad:
	ORQ  $3, R15
	MOVQ AX, i+16(FP)
	MOVQ R15, state+24(FP)
	VZEROUPPER
	RET
