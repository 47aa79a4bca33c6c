namespace Broker.Server.Tests.Security;

/// <summary>No object that contains a secret shows it in its text.</summary>
public sealed class SecretTextTests
{
    private const string Canary = "canary31337";

    [Fact]
    public void No_text_of_an_object_contains_its_secret()
    {
        var options = new BrokerServerOptions
        {
            Users = [new User("u", Canary)],
            Token = Canary + "-token",
            Accounts = [new AccountOptions("A") { Users = [new User("a", Canary)] }],
        };
        var rules = new SecurityRules(options);
        Principal principal = rules.Find("u")!;
        ConnectRequest request = ConnectRequest.Parse(
            System.Text.Encoding.ASCII.GetBytes($$"""{"user":"u","pass":"{{Canary}}","auth_token":"{{Canary}}","sig":"{{Canary}}","nkey":"{{Canary}}","jwt":"{{Canary}}"}"""), null, out _)!;
        object[] all =
        [
            options, options.Users[0], options.Accounts[0], rules, principal, request, request.Credentials, new Secret(Canary, "u", null),
            rules.Check(request.Credentials, null), new AuthorizationRequest { ClientId = 1, Password = Canary, Token = Canary },
            AuthorizationResult.Allow(),
        ];
        Assert.All(all, o => Assert.DoesNotContain(Canary, $"{o}", StringComparison.Ordinal));
        Assert.Equal(Canary, request.Credentials.Password);
    }
}
