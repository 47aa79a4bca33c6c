using System.Net.Sockets;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>What is the same for all commands that are clients: the connection, signals, and what each end answers the shell.</summary>
internal sealed class ClientRun
{
    private readonly ShellStreams _shell;
    private int _errors;

    private ClientRun(ShellStreams shell, BrokerConnection connection, CancellationToken stop)
    {
        _shell = shell;
        Connection = connection;
        Stop = stop;
    }

    public BrokerConnection Connection { get; }

    /// <summary>Cancelled by Ctrl+C.</summary>
    public CancellationToken Stop { get; }

    /// <summary>Whether the server has refused something.</summary>
    public bool WasRefused => Volatile.Read(ref _errors) != 0;

    /// <summary>Connects, does the work and answers the exit code.</summary>
    /// <param name="shell">Where it speaks.</param>
    /// <param name="options">Read late, as files are read by it.</param>
    /// <param name="work">The work.</param>
    /// <param name="cancellationToken">Ends it, as Ctrl+C does.</param>
    public static async Task<int> OfAsync(
        ShellStreams shell, Func<ClientOptions> options, Func<ClientRun, Task<int>> work, CancellationToken cancellationToken)
    {
        using var signals = new ShellSignals(cancellationToken);
        try
        {
            return await ConnectAsync(shell, options(), work, signals.Stop);
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
            // A subject, an address or a file that is none. The name of our parameter says nothing here.
            shell.Complain(e.Message.Split(" (Parameter ")[0]);
            return ExitCode.Usage;
        }
        catch (NoRespondersException e)
        {
            shell.Complain(e.Message);
            return ExitCode.NothingCame;
        }
        catch (Exception e) when (e is ClientException or IOException or SocketException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }

    private static async Task<int> ConnectAsync(ShellStreams shell, ClientOptions options, Func<ClientRun, Task<int>> work, CancellationToken stop)
    {
        ClientRun? run = null;
        options = options with
        {
            OnServerError = (_, text) =>
            {
                shell.Complain($"the server says: {text}");
                if (run is not null)
                {
                    Interlocked.Increment(ref run._errors);
                }
            },
            OnDisconnected = (_, reason) => shell.Complain($"the server is lost: {reason.Message}"),
            OnReconnected = _ => shell.Say("connected again"),
        };
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options, stop);
        run = new ClientRun(shell, connection, stop);
        return await work(run);
    }

    /// <summary>Waits until the server has dealt with everything so far, and answers whether it refused nothing.</summary>
    public async Task<bool> ConfirmAsync()
    {
        await Connection.FlushAsync(Stop);
        return !WasRefused;
    }
}
