chan c = [0] of { byte };

active proctype S() {
	end: do
	:: c?_ ->
		end_x: c?_
	od
}

active proctype R() {
	if
	:: c!1
	:: c!1;
		c!2
	:: c!1;
		c!2;
		c!3
	fi;
	endz: false
}
