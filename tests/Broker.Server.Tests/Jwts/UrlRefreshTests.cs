using System.Net;
using System.Text;

namespace Broker.Server.Tests.Jwts;

/// <summary>Tests that newer JWTs of a web server apply to accounts in use.</summary>
public sealed class UrlRefreshTests : IDisposable
{
    private readonly ResolverSite _site = new();
    private readonly HttpListener _web = new();
    private readonly Uri _url = new($"http://127.0.0.1:{FreePort.Next()}/accounts/");
    private string _jwt = "";
    private int _fetches;

    public UrlRefreshTests()
    {
        _web.Prefixes.Add(_url.AbsoluteUri);
        _web.Start();
        _ = ServeAsync();
    }

    public void Dispose()
    {
        _web.Close();
        _site.Dispose();
    }

    [Fact]
    public async Task A_newer_JWT_applies_to_connected_users_after_the_interval()
    {
        _jwt = _site.Account(_site.Main);
        await using BrokerServer server = await StartAsync(TimeSpan.FromMilliseconds(200));
        using ResolverClient user = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal("", user.Sync());

        _jwt = _site.Account(_site.Main, JwtSite.NoLimits + ",\"revocations\":{\"*\":1800000000},", later: 1);

        Assert.Equal("-ERR 'User Authentication Revoked'\n", user.End());
    }

    [Fact]
    public async Task An_expired_account_is_fetched_again_when_a_user_connects()
    {
        _jwt = _site.Keys.Operator.Sign(_site.Main.Public, JwtSite.NoLimits + ",\"type\":\"account\",\"version\":2", "\"exp\":1700000100,");
        await using BrokerServer server = await StartAsync(TimeSpan.FromHours(1));
        using (ResolverClient early = _site.Connect(server.EndPoints[0], _site.Main))
        {
            Assert.Equal("-ERR 'Authorization Violation'\n", early.End());
        }

        // The refused login has asked once.
        Assert.Equal(1, _fetches);
        _jwt = _site.Account(_site.Main, later: 200);
        using ResolverClient late = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal("", late.Sync());
    }

    private Task<BrokerServer> StartAsync(TimeSpan interval) => _site.StartAsync(configure: o =>
    {
        o.SystemAccount = null;
        o.Operator = new OperatorOptions
        {
            Operators = [_site.Keys.OperatorJwt()],
            Resolver = new UrlResolver(_url) { Timeout = TimeSpan.FromMinutes(1), Interval = interval },
        };
    });

    private async Task ServeAsync()
    {
        try
        {
            while (true)
            {
                HttpListenerContext context = await _web.GetContextAsync();
                _fetches++;
                context.Response.OutputStream.Write(Encoding.ASCII.GetBytes(_jwt));
                context.Response.Close();
            }
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException)
        {
            // The test is over.
        }
    }
}
