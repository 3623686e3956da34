module evenkeel/test/model

go 1.24
