package signature

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// version changes whenever the same call could get another signature than before.
const version = "sig1"

// Hash names a sequence of signatures: "sig1:" and 16 hexadecimal digits of the
// SHA-256 of the signatures joined by 0x1F (rubric 3.8).
func Hash(sigs []string) string {
	sum := sha256.Sum256([]byte(strings.Join(sigs, "\x1f")))
	return version + ":" + hex.EncodeToString(sum[:8])
}

// identity is a keyed hash of literal arguments. parts are length-prefixed, so
// that no two different lists of parts run into each other.
func (m *Masker) identity(parts ...[]byte) uint64 {
	buf := make([]byte, 0, 256)
	buf = append(buf, m.key...)
	for _, p := range parts {
		buf = binary.AppendUvarint(buf, uint64(len(p)))
		if len(p) > maxIdentity {
			p = p[:maxIdentity]
		}
		buf = append(buf, p...)
	}
	sum := sha256.Sum256(buf)
	return binary.LittleEndian.Uint64(sum[:])
}

// maxIdentity bounds what is hashed of one argument. Two arguments that agree in
// their first 4 KiB and in their length are taken for the same.
const maxIdentity = 4 << 10
