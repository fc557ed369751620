#!/bin/bash
echo "nothing"
