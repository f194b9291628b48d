module berth.sh/bench/scale/api

go 1.24
