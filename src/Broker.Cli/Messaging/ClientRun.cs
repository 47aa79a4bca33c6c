using System.Diagnostics;
using System.Net.Sockets;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>
/// Runs a command that is a NATS client: connects, handles signals, and translates errors to exit codes.
/// </summary>
internal sealed class ClientRun
{
    private static readonly TimeSpan WaitPace = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan LeastTimeout = TimeSpan.FromSeconds(1);

    private readonly TimeSpan _silence;
    private readonly ClientOptions _options;
    private int _errors;

    private ClientRun(BrokerConnection connection, ClientOptions options, TimeSpan silence, CancellationToken stop)
    {
        _options = options;
        _silence = silence;
        Connection = connection;
        Stop = stop;
    }

    public BrokerConnection Connection { get; }

    /// <summary>Cancelled by Ctrl+C.</summary>
    public CancellationToken Stop { get; }

    /// <summary>Whether the server has reported an error, such as a permissions violation.</summary>
    public bool WasRefused => Volatile.Read(ref _errors) != 0;

    /// <summary>Connects to the server, runs <paramref name="work"/> and returns the exit code.</summary>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="options">Returns the client's options. It may read files and throw. The
    /// <see cref="ClientOptions.WriteDeadline"/> of the options is the longest time in which the server may make no
    /// progress; the time of the connect counts too.</param>
    /// <param name="wait">How long to wait for a server that cannot be reached.</param>
    /// <param name="work">Uses the connection and returns the exit code.</param>
    /// <param name="cancellationToken">Ends the command, as Ctrl+C does.</param>
    public static async Task<int> OfAsync(
        ShellStreams shell, Func<ClientOptions> options, TimeSpan wait, Func<ClientRun, Task<int>> work, CancellationToken cancellationToken)
    {
        using var signals = new ShellSignals(cancellationToken);
        try
        {
            return await RunAsync(shell, options(), wait, work, signals.Stop);
        }
        catch (OperationCanceledException) when (signals.Stop.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
        catch (UsageException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Usage;
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            // A subject, an address or a file is invalid.
            shell.Complain(ErrorText.WithoutParameter(e.Message));
            return ExitCode.Usage;
        }
        catch (NoRespondersException e)
        {
            shell.Complain(e.Message);
            return ExitCode.NothingCame;
        }
        catch (Exception e) when (e is ClientException or IOException or SocketException or TimeoutException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }

    private static async Task<int> RunAsync(
        ShellStreams shell, ClientOptions options, TimeSpan wait, Func<ClientRun, Task<int>> work, CancellationToken stop)
    {
        ClientRun? run = null;
        string? lost = null;
        bool reconnects = options.MaxReconnectAttempts != 0;
        options = options with
        {
            OnServerError = (_, text) =>
            {
                shell.Complain($"error from the server: {text}");
                if (run is not null)
                {
                    Interlocked.Increment(ref run._errors);
                }
            },
            OnDisconnected = (_, reason) =>
            {
                string text = $"the connection to the server was lost: {reason.Message}";
                if (reconnects)
                {
                    shell.Complain(text);
                }

                Volatile.Write(ref lost, text);
            },
            OnReconnected = _ => shell.Say("reconnected to the server"),
        };
        (BrokerConnection connection, TimeSpan taken) = await ConnectAsync(shell, options, wait, stop);
        await using BrokerConnection closed = connection;
        TimeSpan left = options.WriteDeadline - taken;
        run = new ClientRun(connection, options, left > LeastTimeout ? left : LeastTimeout, stop);
        try
        {
            return await work(run);
        }
        catch (Exception e) when (!reconnects && e is ClientException or TimeoutException && Volatile.Read(ref lost) is not null)
        {
            // The exception only says that there is no connection.
            throw new IOException(lost, e);
        }
    }

    // A script or a compose file may start the server and its clients at the same time, so the connect is repeated.
    // The time in the result is that of the last attempt.
    private static async Task<(BrokerConnection Connection, TimeSpan Taken)> ConnectAsync(
        ShellStreams shell, ClientOptions options, TimeSpan wait, CancellationToken stop)
    {
        long begin = Stopwatch.GetTimestamp();
        bool hasTold = false;
        while (true)
        {
            TimeSpan left = wait - Stopwatch.GetElapsedTime(begin);
            long attempt = Stopwatch.GetTimestamp();
            try
            {
                BrokerConnection connection = await BrokerConnection.ConnectAsync(left > TimeSpan.Zero ? Within(left, options) : options, stop);
                return (connection, Stopwatch.GetElapsedTime(attempt));
            }
            catch (Exception e) when (IsUnreachable(e) && Stopwatch.GetElapsedTime(begin) < wait)
            {
                if (!hasTold)
                {
                    shell.Say($"waiting for the server: {SafeText.OneLine(e.Message)}");
                    hasTold = true;
                }

                await Task.Delay(WaitPace, stop);
            }
        }
    }

    // A server that accepts the connection and then sends nothing must not use up more than the time that is left.
    private static ClientOptions Within(TimeSpan left, ClientOptions options)
    {
        TimeSpan time = left > LeastTimeout ? left : LeastTimeout;
        return options.ConnectTimeout <= time ? options : options with { ConnectTimeout = time };
    }

    private static bool IsUnreachable(Exception e) => e is ConnectionLostException or TimeoutException or IOException or SocketException;

    /// <summary>The options of all connections.</summary>
    /// <param name="server">The address of another server; null for the servers of the command.</param>
    public ClientOptions OptionsFor(string? server) => server is null ? _options : _options with { Servers = [server] };

    /// <summary>Opens a further connection with the same options.</summary>
    /// <param name="server">The address of another server; null for the servers of the command.</param>
    public Task<BrokerConnection> ConnectAsync(string? server = null) => BrokerConnection.ConnectAsync(OptionsFor(server), Stop);

    /// <summary>
    /// Waits until the server has processed everything sent so far. Returns false if it reported an error.
    /// </summary>
    /// <exception cref="TimeoutException">The server neither answers nor reads what was sent.</exception>
    public async Task<bool> ConfirmAsync()
    {
        Task confirmation = Connection.FlushAsync(Stop);
        for (long waiting = long.MaxValue; ;)
        {
            try
            {
                await confirmation.WaitAsync(_silence);
                return !WasRefused;
            }
            catch (TimeoutException e) when (!confirmation.IsCompleted)
            {
                // A busy server may need long for many messages, but it reads some of them.
                long before = waiting;
                waiting = Connection.GetStatistics().PendingBytes;
                if (waiting >= before || waiting == 0)
                {
                    throw new TimeoutException("The server does not answer any more.", e);
                }
            }
        }
    }
}
