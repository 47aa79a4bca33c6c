using System.Text;
using System.Text.RegularExpressions;
using Broker.Client;
using Broker.Cryptography;
using Broker.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests.Servers;

/// <summary>Tests operators and auth callout in the configuration of a host.</summary>
public sealed partial class OperatorSettingsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly JwtSite _site = new();
    private readonly JwtKey _user = JwtKey.ForUser();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_section_of_the_page_starts_a_host_that_accepts_the_users_of_its_operator()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "hosting.md"), TestContext.Current.CancellationToken);
        string json = Json().Matches(page).Select(static m => m.Groups[1].Value).Single(static text => text.Contains("\"Operator\"", StringComparison.Ordinal));
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(json));
        Write("operator.jwt", _site.OperatorJwt($"\"system_account\":\"{_site.System}\","));
        Write("system.jwt", _site.AccountJwt(_site.System));
        Directory.CreateDirectory(Path.Combine(_folder.Path, "accounts"));
        Write($"accounts/{_site.Account}.jwt", _site.AccountJwt(_site.Account));

        await using TestHost host = await StartAsync(
            [.. new ConfigurationBuilder().AddJsonStream(stream).Build().AsEnumerable().Where(static s => s.Value is not null).Select(static s => (s.Key, s.Value!))]);

        await ConnectAsync(host);
    }

    [Fact]
    public async Task Accounts_may_stand_in_the_settings_and_only_pinned_ones_may_connect()
    {
        (string, string)[] settings =
        [
            ("Broker:Operator:TrustedKeys:0", _site.Operator.Public),
            ("Broker:Operator:Accounts:0", _site.AccountJwt(_site.Account)),
        ];
        await using (TestHost host = await StartAsync(settings))
        {
            await ConnectAsync(host);
        }

        await using TestHost pinned = await StartAsync([.. settings, ("Broker:Operator:PinnedAccounts:0", _site.System.Public)]);
        await Assert.ThrowsAsync<AuthorizationException>(() => ConnectAsync(pinned));
    }

    [Fact]
    public async Task A_resolver_with_a_URL_and_an_auth_callout_reach_the_options()
    {
        BrokerServerOptions options = await BuildAsync(
            ("Broker:Operator:Operators:0", _site.OperatorJwt()), ("Broker:Operator:Resolver:Type", "Url"),
            ("Broker:Operator:Resolver:Url", "https://a/b/"), ("Broker:Operator:Resolver:Timeout", "1s"));
        UrlResolver resolver = Assert.IsType<UrlResolver>(options.Operator!.Resolver);
        Assert.Equal(("https://a/b/", TimeSpan.FromSeconds(1)), (resolver.Url.AbsoluteUri, resolver.Timeout));

        AuthCalloutOptions callout = (await BuildAsync(
            ("Broker:AuthCallout:Issuer", _site.Account.Public), ("Broker:AuthCallout:Users:0", "service"), ("Broker:AuthCallout:Account", "$G"),
            ("Broker:Users:0:Name", "service"), ("Broker:Users:0:Password", "x"))).AuthCallout!;
        Assert.Equal((_site.Account.Public, "$G", "service"), (callout.Issuer, callout.Account, callout.Users[0]));
    }

    [Theory]
    [InlineData("Broker:Operator:Operators:0: it is no JWT", "Operator:Operators:0=missing.jwt")]
    [InlineData("Broker:Operator:Accounts:0: it is not the JWT of an account", "Operator:Operators:0=OPERATOR", "Operator:Accounts:0=eyJx")]
    [InlineData("Broker:Operator:Accounts:1: account ", "Operator:Operators:0=OPERATOR", "Operator:Accounts:0=ACCOUNT", "Operator:Accounts:1=ACCOUNT")]
    [InlineData("Broker:Operator:Resolver:Directory: it is missing", "Operator:Operators:0=OPERATOR", "Operator:Resolver:Type=Full")]
    [InlineData("Broker:Operator:Resolver:Url: \"a\" is not an address", "Operator:Operators:0=OPERATOR", "Operator:Resolver:Type=Url", "Operator:Resolver:Url=a")]
    [InlineData("Broker:Operator:Resolver:Limit: a resolver with Type Url", "Operator:Operators:0=OPERATOR", "Operator:Resolver:Type=Url", "Operator:Resolver:Limit=3")]
    [InlineData("Broker:AuthCallout:Users: it is missing", "AuthCallout:Issuer=ISSUER")]
    [InlineData("Broker:Operator: it and Users or Token cannot be combined", "Operator:Operators:0=OPERATOR", "Users:0:Name=ada", "Users:0:Password=x")]
    public async Task A_wrong_setting_stops_the_start_with_its_name(string why, params string[] settings)
    {
        string account = _site.AccountJwt(_site.Account);
        (string, string)[] all =
        [
            .. settings.Select(s => s.Split('=', 2)).Select(s => ("Broker:" + s[0], s[1] switch { "OPERATOR" => _site.OperatorJwt(), "ACCOUNT" => account, "ISSUER" => _site.Account.Public, var text => text })),
        ];

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(all));

        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(account, refused.Message, StringComparison.Ordinal);
    }

    private static void Add(IServiceCollection services)
        => services.AddBroker(static broker => broker.Configure(static o => o.UseCryptography()));

    private async Task<BrokerServerOptions> BuildAsync(params (string, string)[] settings)
    {
        await using var host = TestHost.BuildIn(_folder.Path, Add, settings);
        return ServerSetup.Build(host.Services, host.Services.GetRequiredService<IOptions<BrokerSettings>>().Value);
    }

    private async Task<TestHost> StartAsync((string, string)[] settings)
    {
        var host = TestHost.BuildIn(_folder.Path, Add, [.. settings, ("Broker:Listen:0", "127.0.0.1:0")]);
        await host.StartAsync();
        return host;
    }

    private async Task ConnectAsync(TestHost host)
    {
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(
            new ClientOptions
            {
                Servers = [host.Url],
                ConnectTimeout = Wait.Limit,
                GetCredentials = _ => ValueTask.FromResult(new ConnectCredentials { Jwt = _site.UserJwt(_user), Sign = nonce => _user.Sign(nonce.ToArray()) }),
            },
            TestContext.Current.CancellationToken);
        await connection.PingAsync(TestContext.Current.CancellationToken);
    }

    private void Write(string file, string text) => File.WriteAllText(Path.Combine(_folder.Path, file), text);

    [GeneratedRegex("```json\n(.*?)```", RegexOptions.Singleline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Json();
}
