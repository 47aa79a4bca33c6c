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
    private static readonly TimeSpan LeastConnectTimeout = TimeSpan.FromSeconds(1);

    private readonly TimeSpan _silence;
    private int _errors;

    private ClientRun(BrokerConnection connection, TimeSpan silence, CancellationToken stop)
    {
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
    /// <see cref="ClientOptions.ConnectTimeout"/> of the options is also the longest time in which the server may make
    /// no progress later.</param>
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
            OnDisconnected = (_, reason) => shell.Complain($"the connection to the server was lost: {reason.Message}"),
            OnReconnected = _ => shell.Say("reconnected to the server"),
        };
        await using BrokerConnection connection = await ConnectAsync(shell, options, wait, stop);
        run = new ClientRun(connection, options.ConnectTimeout, stop);
        return await work(run);
    }

    // A script or a compose file may start the server and its clients at the same time, so the connect is repeated.
    private static async Task<BrokerConnection> ConnectAsync(ShellStreams shell, ClientOptions options, TimeSpan wait, CancellationToken stop)
    {
        long begin = Stopwatch.GetTimestamp();
        bool hasTold = false;
        while (true)
        {
            TimeSpan left = wait - Stopwatch.GetElapsedTime(begin);
            try
            {
                return await BrokerConnection.ConnectAsync(left > TimeSpan.Zero ? Within(left, options) : options, stop);
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
        TimeSpan time = left > LeastConnectTimeout ? left : LeastConnectTimeout;
        return options.ConnectTimeout <= time ? options : options with { ConnectTimeout = time };
    }

    private static bool IsUnreachable(Exception e) => e is ConnectionLostException or TimeoutException or IOException or SocketException;

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
