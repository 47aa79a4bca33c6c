namespace Broker.Cli.Tests.Starting;

/// <summary>Tests that the start warns about endpoints without authentication, and only about these.</summary>
public sealed class WarningTests : IDisposable
{
    private const string Bound = "publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\"";

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("zeromq { BOUND }\nauthorization { token: t }", "ZeroMQ has no authentication at tcp://127.0.0.1:", 2)]
    [InlineData("zeromq { BOUND }\naccounts { A { users: [ { user: a, password: p } ] } }", "ZeroMQ has no authentication at tcp://127.0.0.1:", 2)]
    [InlineData("zeromq { publishers: \"tcp://*:*\", subscribers: \"tcp://127.0.0.1:*\" }", "ZeroMQ has no authentication at tcp://", 1)]
    [InlineData("zeromq { publishers: \"tcp://0.0.0.0:*\", subscribers: \"tcp://[::]:*\" }", "ZeroMQ has no authentication at tcp://", 2)]
    [InlineData("zeromq { BOUND }", "ZeroMQ has no authentication", 0)]
    [InlineData("http: \"0.0.0.0:-1\"", "Monitoring has no authentication: everybody who can connect to http://0.0.0.0:", 1)]
    [InlineData("host: \"*\"\nhttp_port: -1", "Monitoring has no authentication: everybody who can connect to http://[::]:", 1)]
    [InlineData("http: -1", "Monitoring has no authentication", 0)]
    [InlineData("websocket { port: -1, no_tls: true }", "websocket has no host", 1)]
    [InlineData("websocket { listen: \":-1\", no_tls: true }", "websocket has no host", 1)]
    [InlineData("websocket { listen: \"0.0.0.0:-1\", no_tls: true }", "websocket has no host", 0)]
    public async Task The_start_warns_about_endpoints_without_authentication(string text, string warning, int times)
    {
        string file = _folder.Write("b.conf", "port: -1\n" + text.Replace("BOUND", Bound, StringComparison.Ordinal));

        RealRun run = await RealRun.Of("serve", "-q", "-c", file);

        Assert.NotNull(run.Addresses);
        Assert.Equal(times, run.Error.Split('\n').Count(l => l.Contains("[warn]", StringComparison.Ordinal) && l.Contains(warning, StringComparison.Ordinal)));
    }
}
