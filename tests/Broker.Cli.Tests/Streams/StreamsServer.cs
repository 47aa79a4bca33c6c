using Broker.Cli.Tests.Shell;
using Broker.Client;

namespace Broker.Cli.Tests.Streams;

/// <summary>A nats-server with JetStream and a store of its own.</summary>
internal sealed class StreamsServer : IDisposable
{
    /// <summary>The installed nats-server, 2.9 on Debian 12.</summary>
    internal const string Installed = "installed";

    private readonly TemporaryFolder _store = new();
    private readonly NatsServer _server;

    private StreamsServer(string? program, string more)
    {
        string configuration = $$"""
            jetstream { store_dir: "{{_store.Path.Replace('\\', '/')}}", max_mem: 256MB, max_file: 1GB }
            {{more}}
            """;
        try
        {
            _server = NatsServer.StartWithConfiguration(configuration, program, []);
        }
        catch
        {
            _store.Dispose();
            throw;
        }
    }

    /// <summary>The servers that each test runs with: 2.9, 2.10 and the newest one.</summary>
    public static TheoryData<string> All => [Installed, NewerNatsServers.Trixie, NewerNatsServers.Sid];

    /// <summary>Those that can pause consumers, and know a time to live of a key.</summary>
    public static TheoryData<string> Newest => [NewerNatsServers.Sid];

    internal string Url => _server.Url;

    /// <summary>Starts a server. If it is not installed, the test is skipped, and fails in CI.</summary>
    internal static StreamsServer Start(string name, string more = "")
        => new(name == Installed ? null : NewerNatsServers.Require(name), more);

    /// <summary>Connects to the server, so that a test can look at it beside the command.</summary>
    internal Task<BrokerConnection> ConnectAsync() => BrokerConnection.ConnectAsync(Url, TestContext.Current.CancellationToken);

    /// <summary>
    /// Runs a command that must succeed without a word on standard error, and returns what it prints.
    /// </summary>
    internal async Task<string> RunAsync(params string[] args)
    {
        (int exitCode, string output, string error) = await EndAsync(args);
        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        return output;
    }

    /// <summary>Runs a command that must fail, and returns what it says.</summary>
    internal async Task<string> FailAsync(int expected, params string[] args)
    {
        (int exitCode, string output, string error) = await EndAsync(args);
        Assert.Equal((expected, ""), (exitCode, output));
        return error;
    }

    internal Task<(int ExitCode, string Output, string Error)> EndAsync(params string[] args) => ShellRun.OfAsync(With(args));

    /// <summary>
    /// Adds the address of the server to a command, and time for each answer, so that a busy machine does not matter.
    /// </summary>
    internal string[] With(params string[] args)
        => [.. args, "-s", Url, .. args.Contains("--timeout", StringComparer.Ordinal) ? Array.Empty<string>() : ["--timeout", "2m"]];

    public void Dispose()
    {
        _server.Dispose();
        _store.Dispose();
    }
}
