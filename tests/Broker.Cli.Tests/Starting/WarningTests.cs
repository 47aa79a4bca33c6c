using Broker.Cryptography;
using Broker.ZeroMq;

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

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Warnings_come_after_the_lines_that_they_belong_to(bool hasFile)
    {
        string log = Path.Combine(_folder.Path, "log");
        string file = _folder.Write(
            "b.conf", $"port: -1\nhttp: \"0.0.0.0:-1\"\nwebsocket {{ port: -1, no_tls: true }}\n{(hasFile ? $"log_file: \"{log.Replace('\\', '/')}\"" : "")}");

        RealRun run = await RealRun.Of("serve", "-q", "-c", file);

        string[] lines = (hasFile ? File.ReadAllText(log) : run.Error).Split('\n');
        int warning = Array.FindIndex(lines, static line => line.Contains("[warn]", StringComparison.Ordinal));
        int address = Array.FindLastIndex(lines, static line => line.Contains("Starting http monitor", StringComparison.Ordinal) || line.Contains("Monitoring:  ", StringComparison.Ordinal));
        Assert.InRange(address, 0, warning);
    }

    [Theory]
    [InlineData("serve", "zeromq { BOUND, SECURITY }")]
    [InlineData("serve", "zeromq { routes: [ { pattern: worker, subject: a, endpoint: \"tcp://127.0.0.1:*\", SECURITY } ] }")]
    [InlineData("bridge", "zeromq { url: \"nats://127.0.0.1:1\", BOUND, SECURITY }")]
    public async Task Clients_without_a_key_are_a_warning_with_its_place(string command, string text)
    {
        var keys = CurveKeyPair.Generate(new CurveCryptography());
        string secret = _folder.Write("secret", keys.ExportSecretKey());
        _folder.Write("clients/readme", "no key");
        string security = $"security {{ mechanism: curve, role: server, secret_key_file: \"{secret}\", clients: \"{Path.Combine(_folder.Path, "clients")}\" }}";
        string file = _folder.Write(
            "b.conf", text.Replace("BOUND", Bound, StringComparison.Ordinal).Replace("SECURITY", security, StringComparison.Ordinal).Replace('\\', '/'));

        RealRun none = await RealRun.Of(command, "-t", "-c", file);
        _folder.Write("clients/one.key", keys.PublicKey.ToString());
        RealRun one = await RealRun.Of(command, "-t", "-c", file);

        Assert.Equal((ExitCode.Success, ExitCode.Success, ""), (none.ExitCode, one.ExitCode, one.Error));
        Assert.Matches("^broker: warning: \"clients\" contains no public key, so no client can connect at [^\n]+:1:[0-9]+\r?\n$", none.Error);
    }
}
