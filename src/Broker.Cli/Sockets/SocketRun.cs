using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary>Runs a command that is a ZeroMQ socket: handles signals, and translates errors to exit codes.</summary>
internal static class SocketRun
{
    /// <summary>Runs <paramref name="work"/> and returns the exit code.</summary>
    public static async Task<int> OfAsync(
        ShellStreams shell, Func<CancellationToken, Task<int>> work, CancellationToken cancellationToken)
    {
        using var signals = new ShellSignals(cancellationToken);
        try
        {
            return await work(signals.Stop);
        }
        catch (OperationCanceledException) when (signals.Stop.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
        catch (Exception e) when (e is UsageException or ArgumentException or FormatException)
        {
            shell.Complain(ErrorText.WithoutParameter(e.Message));
            return ExitCode.Usage;
        }
        catch (Exception e) when (e is ListenException or IOException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }

    /// <summary>Returns options with the security of the flags and with <see cref="Teller"/>.</summary>
    public static ZeroMqSocketOptions Options(ShellStreams shell, ParseResult flags, EndpointFlags endpoints) => new()
    {
        Security = endpoints.Security(flags),
        OnEvent = Teller(shell),
    };

    /// <summary>Returns a handler that writes a line for each connection that the socket or the peer refuses.</summary>
    public static Action<ZeroMqEvent> Teller(ShellStreams shell) => e =>
    {
        if (e.Kind == ZeroMqEventKind.PeerRefused)
        {
            shell.Complain($"{e.Endpoint}: {e.Reason}");
        }
    };

    /// <summary>Prints received messages until a limit is reached, and returns the exit code.</summary>
    /// <param name="receive">Receives the next message.</param>
    /// <param name="hasMore">Whether another message is queued.</param>
    /// <param name="take">Receives each printed message and its number, starting at 1.</param>
    /// <param name="printer">Prints each message.</param>
    /// <param name="reading">The number of messages and the time after which reading ends.</param>
    /// <param name="stop">Cancelled by Ctrl+C.</param>
    public static async Task<int> ReadAsync(
        Func<CancellationToken, ValueTask<byte[][]>> receive, Func<bool> hasMore, Func<byte[][], long, CancellationToken, ValueTask> take,
        FramePrinter printer, (long? Count, TimeSpan? Timeout) reading, CancellationToken stop)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        if (reading.Timeout is { } time)
        {
            ended.CancelAfter(time);
        }

        long taken = 0;
        try
        {
            while (taken < (reading.Count ?? long.MaxValue))
            {
                byte[][] frames = await receive(ended.Token);
                printer.Print(frames);
                await take(frames, ++taken, ended.Token);
                if (!hasMore())
                {
                    printer.Flush();
                }
            }
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The user has pressed Ctrl+C, or the time is over.
        }

        printer.Flush();
        return reading.Count is null || taken >= reading.Count ? ExitCode.Success
            : stop.IsCancellationRequested ? ExitCode.Interrupted
            : ExitCode.NothingCame;
    }

    /// <summary>Writes how many messages were not delivered, if any, and returns the exit code.</summary>
    public static int Tell(ShellStreams shell, long undelivered)
    {
        if (undelivered == 0)
        {
            return ExitCode.Success;
        }

        shell.Complain(undelivered == 1
            ? "1 message was not delivered"
            : string.Create(CultureInfo.InvariantCulture, $"{undelivered:N0} messages were not delivered"));
        return ExitCode.Undelivered;
    }
}
