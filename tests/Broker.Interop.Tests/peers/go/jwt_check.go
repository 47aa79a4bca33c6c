// Reads and makes tokens with the reference library: see ../README.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

func fail(err error) map[string]interface{} {
	return map[string]interface{}{"error": err.Error()}
}

func check(token string) map[string]interface{} {
	claims, err := jwt.Decode(token)
	if err != nil {
		return fail(err)
	}
	problems := jwt.CreateValidationResults()
	claims.Validate(problems)
	if problems.IsBlocking(true) {
		return fail(problems.Errors()[0])
	}
	data := claims.Claims()
	read := map[string]interface{}{"kind": string(claims.ClaimType()), "sub": data.Subject, "iss": data.Issuer, "name": data.Name}
	if user, ok := claims.(*jwt.UserClaims); ok && len(user.Pub.Allow) > 0 {
		read["allow"] = strings.Join(user.Pub.Allow, ",")
	}
	return read
}

func checkFile(file string) map[string]interface{} {
	text, err := os.ReadFile(file)
	if err != nil {
		return fail(err)
	}
	token, err := jwt.ParseDecoratedJWT(text)
	if err != nil {
		return fail(err)
	}
	keys, err := jwt.ParseDecoratedUserNKey(text)
	if err != nil {
		return fail(err)
	}
	read := check(token)
	read["key"], _ = keys.PublicKey()
	return read
}

func public(keys nkeys.KeyPair) string {
	key, _ := keys.PublicKey()
	return key
}

func mint() map[string]interface{} {
	operator, _ := nkeys.CreateOperator()
	account, _ := nkeys.CreateAccount()
	role, _ := nkeys.CreateAccount()
	user, _ := nkeys.CreateUser()
	scoped, _ := nkeys.CreateUser()
	operatorJwt, _ := jwt.NewOperatorClaims(public(operator)).Encode(operator)
	accountClaims := jwt.NewAccountClaims(public(account))
	accountClaims.Name = "theirs"
	scope := jwt.NewUserScope()
	scope.Key = public(role)
	scope.Role = "role"
	scope.Template.Pub.Allow.Add("plant.>")
	accountClaims.SigningKeys.AddScopedSigner(scope)
	accountJwt, _ := accountClaims.Encode(operator)
	userClaims := jwt.NewUserClaims(public(user))
	userClaims.Pub.Allow.Add("plant.>")
	userJwt, _ := userClaims.Encode(account)
	scopedClaims := jwt.NewUserClaims(public(scoped))
	scopedClaims.SetScoped(true)
	scopedClaims.IssuerAccount = public(account)
	scopedJwt, _ := scopedClaims.Encode(role)
	userSeed, _ := user.Seed()
	scopedSeed, _ := scoped.Seed()
	userFile, _ := jwt.FormatUserConfig(userJwt, userSeed)
	scopedFile, _ := jwt.FormatUserConfig(scopedJwt, scopedSeed)
	return map[string]interface{}{"operator": operatorJwt, "account": accountJwt, "key": public(account), "user": string(userFile), "scoped": string(scopedFile)}
}

func main() {
	fmt.Println("READY")
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1024*1024)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		var answer map[string]interface{}
		switch word {
		case "check":
			answer = check(rest)
		case "file":
			answer = checkFile(rest)
		default:
			answer = mint()
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}
