using Broker.Cli.Configuration;
using Broker.Server;

namespace Broker.Cli.Tests.Configuration;

public sealed class OperatorConfigTests : IDisposable
{
    private readonly JwtSite _site = new();
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_file_of_nsc_is_read_with_its_operator_and_accounts()
    {
        string jwt = _site.OperatorJwt();
        string file = _folder.Write("op.jwt", $"-----BEGIN NATS OPERATOR JWT-----\n{jwt}\n------END NATS OPERATOR JWT------\n");
        string account = _site.AccountJwt(_site.Account);

        ServeSettings settings = Bind($"operator: \"{file}\"\nresolver: MEMORY\nsystem_account: {_site.Account}\nresolver_preload {{ {_site.Account}: \"{account}\" }}");

        Assert.Equal([jwt], settings.Security!.Operator!.Operators);
        Assert.Equal((account, _site.Account.Public), (settings.Security.Operator.Accounts[_site.Account.Public], settings.Security.SystemAccount));
        Assert.True(settings.Security.IsRequired);
    }

    [Theory]
    [InlineData("accounts { A { } }", "\"operator\" and \"accounts\" cannot be combined: JWTs identify all accounts and users at test.conf:4:")]
    [InlineData("authorization { users: [ { user: a, password: p } ] }", "\"operator\" and \"users\" cannot be combined: JWTs identify all accounts and users at test.conf:4:")]
    [InlineData("authorization { token: t }", "\"operator\" and \"token\" cannot be combined: JWTs identify all accounts and users at test.conf:4:")]
    [InlineData("resolver: URL(\"ftp://a/\")", "\"resolver\" must be MEMORY, URL(\"https://…\") or a block with \"type\" and \"dir\"")]
    [InlineData("resolver { type: full, dir: \"x\" }", "A resolver with a directory needs a system account: name it in the options or in the JWT of the operator at test.conf:1:")]
    [InlineData("resolver { type: some, dir: \"x\" }", "\"type\" must be one of full, cache")]
    [InlineData("resolver { type: full }", "\"resolver\" needs \"dir\", the directory with the JWTs of accounts at test.conf:4:")]
    [InlineData("resolver { dir: \"x\" }", "\"type\" of \"resolver\" must be full or cache at test.conf:4:")]
    [InlineData("resolver { type: full, dir: \"x\", ttl: \"1h\" }", "a \"resolver\" of type full has no \"ttl\" at test.conf:4:")]
    [InlineData("resolver { type: full, dir: \"x\", hard_delete: true }", "\"hard_delete\" needs \"allow_delete: true\" at test.conf:4:")]
    [InlineData("resolver { type: full, dir: \"x\", interval: \"25h\" }", "\"interval\" of \"resolver\" must be more than 0s and at most 24h at test.conf:4:")]
    [InlineData("resolver { type: cache, dir: \"x\", allow_delete: true }", "a \"resolver\" of type cache has no \"interval\", \"allow_delete\" or \"hard_delete\" at test.conf:4:")]
    [InlineData("resolver_pinned_accounts: [ \"x\" ]", "A pinned account is not the public key of an account: 56 characters that begin with 'A' at test.conf:1:")]
    public void What_nats_server_refuses_beside_an_operator_is_refused(string more, string why)
        => Assert.Contains(Problems($"operator: \"{_site.OperatorJwt()}\"\nresolver: MEMORY\nresolver_preload {{ }}\n{more}"), p => p.StartsWith(why, StringComparison.Ordinal));

    [Fact]
    public void A_resolver_with_a_directory_is_read_with_its_keys()
    {
        OperatorOptions options = Bind(
            $"operator: \"{_site.OperatorJwt()}\"\nsystem_account: {_site.Account}\nresolver_pinned_accounts: [ {_site.Account} ]\n"
            + $"resolver_preload {{ {_site.Account}: \"{_site.AccountJwt(_site.Account)}\" }}\n"
            + "resolver { type: full, dir: \"jwts\", allow_delete: true, interval: \"5m\", limit: 7, timeout: \"1s\" }").Security!.Operator!;

        DirectoryResolver resolver = Assert.IsType<DirectoryResolver>(options.Resolver);
        Assert.Equal(("jwts", false, AccountDeletion.Renames, 7), (resolver.Directory, resolver.IsCache, resolver.Deletion, resolver.Limit));
        Assert.Equal((TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(5)), (resolver.Timeout, resolver.Interval));
        Assert.Equal([_site.Account.Public], options.PinnedAccounts);
    }

    [Theory]
    [InlineData("URL(\"http://a/b/\")")]
    [InlineData("url(http://a/b/)")]
    [InlineData("\"http://a/b/\"")]
    public void A_resolver_may_be_a_URL(string value)
        => Assert.Equal(
            new Uri("http://a/b/"),
            Assert.IsType<UrlResolver>(Bind($"operator: \"{_site.OperatorJwt()}\"\nresolver: {value}\nresolver_tls {{ }}").Security!.Operator!.Resolver).Url);

    [Fact]
    public void A_wrong_JWT_is_refused_with_its_account_and_claim_and_is_not_shown()
    {
        string wrong = _site.AccountJwt(_site.Account, "\"limits\":{\"conn\":\"1\"},");

        string problem = Assert.Single(Problems($"operator: \"{_site.OperatorJwt()}\"\nresolver: MEMORY\nresolver_preload {{ {_site.Account}: \"{wrong}\" }}"));

        Assert.StartsWith($"The JWT of account {_site.Account} is refused: \"nats.limits.conn\" must be a whole number at test.conf:1:", problem, StringComparison.Ordinal);
        Assert.DoesNotContain("eyJ", problem, StringComparison.Ordinal);
    }

    private static IEnumerable<string> Problems(string text)
        => Assert.Throws<ConfigException>(() => Bind(text)).Problems.Select(static p => p.ToString());

    private static ServeSettings Bind(string text) => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings());
}
