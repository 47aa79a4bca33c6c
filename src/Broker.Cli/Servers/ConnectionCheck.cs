using System.CommandLine;
using System.Diagnostics;
using System.Net.Sockets;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Servers;

/// <summary><c>broker server check connection</c>: connects, and measures one round trip.</summary>
internal sealed class ConnectionCheck(ShellStreams shell)
{
    private const string Name = "connection";

    private const string Examples = """
        Examples:
          broker server check connection
          broker server check connection -s nats://127.0.0.1:4222 --rtt-warning 5ms --rtt-critical 50ms

        Exit codes, as of Nagios's plugins: 0 if the status is OK, 1 for a warning, 2 if it is critical, also if the server
        cannot be reached, and 3 if the check cannot be made.
        """;

    private readonly ConnectionFlags _connection = new(shell.Variable);
    private readonly CheckLimits<TimeSpan> _connect = new(
        "connect", CommonOptions.Time, "the time of the connect", (TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(1)));

    private readonly CheckLimits<TimeSpan> _roundTrip = new(
        "rtt", CommonOptions.Time, "the round trip of a PING", (TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(500)));

    public CheckCommand Build()
    {
        var command = new CheckCommand(Name, "Checks that the server accepts a client, and how long a connect and a PING take.");
        _connect.AddTo(command);
        _roundTrip.AddTo(command);
        _connection.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetCheck(shell, CheckAsync);
        return command;
    }

    private async Task<int> CheckAsync(ParseResult flags, CancellationToken stop)
    {
        (TimeSpan? Warning, TimeSpan? Critical) connect = _connect.Read(flags);
        (TimeSpan? Warning, TimeSpan? Critical) roundTrip = _roundTrip.Read(flags);
        ClientOptions options = _connection.Read(flags) with { MaxReconnectAttempts = 0 };
        try
        {
            long begin = Stopwatch.GetTimestamp();
            await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options, stop);
            TimeSpan connected = Stopwatch.GetElapsedTime(begin);
            TimeSpan pong = await connection.PingAsync(stop).WaitAsync(options.ConnectTimeout, stop);
            return CheckReport.Print(shell, Name, Value("connect", connected, connect), Value("rtt", pong, roundTrip));
        }
        catch (Exception e) when (e is ClientException or IOException or SocketException or TimeoutException)
        {
            return CheckReport.Print(shell, Name, CheckStatus.Critical, e.Message);
        }
    }

    private static CheckValue Value(string name, TimeSpan time, (TimeSpan? Warning, TimeSpan? Critical) limits)
        => new(name, time.TotalMilliseconds, "ms", limits.Warning?.TotalMilliseconds, limits.Critical?.TotalMilliseconds);
}
