using Broker.Cli.Configuration;
using Broker.Server;

namespace Broker.Cli.Tests.Configuration;

public sealed class SecurityConfigTests
{
    private const string Key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

    [Fact]
    public void Without_the_key_everybody_may_come() => Assert.Null(Bind("").Security);

    [Fact]
    public void A_user_and_a_token_are_taken_with_the_timeout()
    {
        SecuritySettings one = Bind("authorization { user: a, password: \"b\", timeout: 1.5 }").Security!;
        SecuritySettings other = Bind("authorization { token: \"secret\", timeout: \"3s\" }").Security!;

        Assert.Equal(["a"], one.Users.Select(u => u.Name));
        Assert.Equal(1.5, one.Timeout?.TotalSeconds);
        Assert.Equal(("secret", 3d), (other.Token, other.Timeout!.Value.TotalSeconds));
    }

    [Fact]
    public void Users_have_permissions_in_all_forms()
    {
        SecuritySettings security = Bind($$"""
            no_auth_user: guest
            authorization {
              default_permissions { publish: "x.>" }
              users = [
                { user: guest, password: "p" }
                { user: b, pass: "q", permissions: { pub: ["a", "b.*"], sub: { allow: "c.>", deny: ["c.d", "c.e q"] }, allow_responses: { max: 5, expires: "1m" } } }
                { nkey: {{Key}}, permissions: { subscribe: [], allow_responses: true } }
              ]
            }
            """).Security!;

        Assert.Equal(["guest", "b", Key], security.Users.Select(u => u.Name));
        Assert.Equal("guest", security.NoAuthUser);
        Assert.Equal(["x.>"], security.DefaultPermissions!.Publish.Allow);
        Assert.Null(security.Users[0].Permissions);
        Permissions b = security.Users[1].Permissions!;
        Assert.Equal(["a", "b.*"], b.Publish.Allow);
        Assert.Equal(["c.>"], b.Subscribe.Allow);
        Assert.Equal(["c.d", "c.e q"], b.Subscribe.Deny);
        Assert.Equal((5, 60d), (b.Responses!.MaxMessages, b.Responses.Expires.TotalSeconds));
        Assert.Empty(security.Users[2].Permissions!.Subscribe.Allow!);
        Assert.Null(security.Users[2].Permissions!.Publish.Allow);
    }

    [Theory]
    [InlineData("authorization { user: a }", "\"user\" and \"password\" must be given together")]
    [InlineData("authorization { users: [ { user: a } ] }", "a user must have a \"user\" and a \"password\", or an \"nkey\"")]
    [InlineData("authorization { users: [ { nkey: U1 } ] }", "\"nkey\" must be a public user key")]
    [InlineData("authorization { users: [ { user: a, password: x }, { user: a, password: y } ] }", "two users have the name \"a\"")]
    [InlineData("authorization { user: a, password: x, users: [ { user: b, password: y } ] }", "\"user\" and \"users\" cannot be combined")]
    [InlineData("authorization { token: t, users: [ { user: b, password: y } ] }", "\"token\" and \"users\" cannot be combined")]
    [InlineData("authorization { token: t, user: a, password: y }", "\"token\" and \"user\" cannot be combined")]
    [InlineData("authorization { user: a, password: 31337 }", "\"password\" must be a text in quotes")]
    [InlineData("authorization { tokn: a }", "unknown key \"tokn\"")]
    [InlineData("no_auth_user: a", "\"no_auth_user\" must be the name of one of the users")]
    public void What_is_wrong_is_named_without_the_secret(string text, string problem)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(text));

        Assert.Contains(e.Problems, p => p.ToString().StartsWith(problem, StringComparison.Ordinal));
        Assert.DoesNotContain(e.Problems, p => p.ToString().Contains("31337", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("http: 8222", "127.0.0.1:8222")]
    [InlineData("http: \"0.0.0.0:8222\"", "0.0.0.0:8222")]
    [InlineData("http_port: -1", "127.0.0.1:0")]
    public void The_monitoring_pages_have_an_address(string text, string address)
        => Assert.Equal(address, Bind(text).Http!.ToString());

    private static ServeSettings Bind(string text)
    {
        using var folder = new TemporaryFolder();
        return ServeConfig.Bind(ConfigFile.Load(folder.Write("b.conf", text)).Root, new ServeSettings());
    }

    [Theory]
    [InlineData("authorization { users: [\n{ user: a, password: HASH } ] }")]
    [InlineData("authorization { user: a,\n password: \"HASH\" }")]
    [InlineData("authorization {\n token: HASH }")]
    [InlineData("accounts { A { users: [\n{ user: a, password: HASH } ] } }")]
    public void A_malformed_bcrypt_hash_is_refused_with_its_place(string text)
    {
        const string Hash = "$2a$11$LplNGODGjLPzW8CfYqW5Z.RcsdXZHAjAzQzXyNTl9TVnxMzJuZhSS";

        Assert.NotNull(Bind(text.Replace("HASH", Hash, StringComparison.Ordinal)).Security);
        foreach (string broken in (string[])[Hash[..^1], Hash + "x", "$2a$99" + Hash[6..], Hash[..^1] + "!"])
        {
            ConfigException e = Assert.Throws<ConfigException>(() => Bind(text.Replace("HASH", broken, StringComparison.Ordinal)));
            ConfigProblem problem = Assert.Single(e.Problems);
            Assert.Contains("is not a valid bcrypt hash", problem.Message, StringComparison.Ordinal);
            Assert.Equal(2, problem.Position.Line);
            Assert.DoesNotContain("LplNG", e.Message, StringComparison.Ordinal);
        }
    }
}
