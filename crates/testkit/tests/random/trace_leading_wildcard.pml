chan c = [3] of { byte, byte, byte };
active proctype P() { c!5,1,7; if :: c!0,2,7 :: c!3,1,9 :: c!3,1,7 fi }
trace { do :: c!_,1,7 od }
