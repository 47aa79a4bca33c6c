using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary>What is the same for all commands that are ZeroMQ sockets: signals, and what each end answers the shell.</summary>
internal static class SocketRun
{
    /// <summary>Does the work and answers the exit code.</summary>
    public static async Task<int> OfAsync(ShellStreams shell, Func<CancellationToken, Task<int>> work, CancellationToken cancellationToken)
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
            shell.Complain(e.Message.Split(" (Parameter ")[0]);
            return ExitCode.Usage;
        }
        catch (Exception e) when (e is ListenException or IOException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }

    /// <summary>The options of a socket that tells of peers who are refused, or refuse.</summary>
    public static ZeroMqSocketOptions Options(ShellStreams shell, ParseResult flags, EndpointFlags endpoints) => new()
    {
        Security = endpoints.Security(flags),
        OnEvent = Teller(shell),
    };

    /// <summary>Tells of peers who are refused, or refuse.</summary>
    public static Action<ZeroMqEvent> Teller(ShellStreams shell) => e =>
    {
        if (e.Kind == ZeroMqEventKind.PeerRefused)
        {
            shell.Complain($"{e.Endpoint}: {e.Reason}");
        }
    };

    /// <summary>Shows what comes until it is enough; answers the exit code.</summary>
    /// <param name="receive">The next message.</param>
    /// <param name="hasMore">Whether there is another one already.</param>
    /// <param name="take">Given each message and its number, from 1.</param>
    /// <param name="printer">Shows it before.</param>
    /// <param name="reading">When it is enough.</param>
    /// <param name="stop">Ctrl+C.</param>
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
            // By Ctrl+C or by the clock.
        }

        printer.Flush();
        return reading.Count is null || taken >= reading.Count ? ExitCode.Success
            : stop.IsCancellationRequested ? ExitCode.Interrupted
            : ExitCode.NothingCame;
    }

    /// <summary>Says what was not delivered, if anything was not; answers the exit code.</summary>
    public static int Tell(ShellStreams shell, long undelivered)
    {
        if (undelivered == 0)
        {
            return ExitCode.Success;
        }

        shell.Complain(undelivered == 1 ? "1 message was not delivered" : string.Create(CultureInfo.InvariantCulture, $"{undelivered:N0} messages were not delivered"));
        return ExitCode.Undelivered;
    }
}
