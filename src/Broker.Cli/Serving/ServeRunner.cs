using System.Net.Sockets;
using Broker.Cli.Configuration;
using Broker.Cli.Logging;
using Broker.Cli.Terminal;

namespace Broker.Cli.Serving;

/// <summary>Runs a host from start to stop and tells the user about it.</summary>
internal sealed class ServeRunner(Screen screen, TimeProvider clock)
{
    private static readonly TimeSpan TerminalPace = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan PlainPace = TimeSpan.FromSeconds(10);

    /// <summary>Serves until <paramref name="stop"/> is cancelled and answers the exit code.</summary>
    public async Task<int> RunAsync(ServeSettings settings, IServeHost host, CancellationToken stop)
    {
        try
        {
            using var logging = ServeLogging.Start(settings, screen, clock);
            using var pid = settings.PidFile is { } pidFile ? PidFile.Write(pidFile) : null;
            var addresses = await StartAsync(settings, host, logging, stop);
            using var ports = settings.PortsFileDirectory is { } directory ? PortsFile.Write(directory, addresses) : null;
            logging.Release();
            foreach (var line in WelcomeText.Of(addresses, settings))
                screen.WriteLine(line);
            await ShowCountsAsync(settings, host, stop);
            return await StopAsync(settings, host);
        }
        catch (ServeStartException e)
        {
            screen.WriteErrorLine($"broker: {e.Message}");
            return ExitCode.Failure;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Stopped while still starting: nothing was accepted, so nothing is undelivered.
            return ExitCode.Success;
        }
    }

    private static async Task<ServeAddresses> StartAsync(
        ServeSettings settings, IServeHost host, ServeLogging logging, CancellationToken stop)
    {
        try
        {
            return await host.StartAsync(settings, logging.Factory, stop);
        }
        catch (SocketException e)
        {
            throw ServeStartException.CannotListen(HostAndPort.Format(settings.Host, settings.Port), e);
        }
    }

    private async Task ShowCountsAsync(ServeSettings settings, IServeHost host, CancellationToken stop)
    {
        if (settings.Quiet)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, clock, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return;
        }

        using var timer = new PeriodicTimer(screen.IsTerminal ? TerminalPace : PlainPace, clock);
        var shown = default(ServeCounts);
        try
        {
            while (await timer.WaitForNextTickAsync(stop))
            {
                var counts = host.ReadCounts();
                if (counts == shown)
                    continue;
                shown = counts;
                screen.ShowStatus(StatusText.Of(counts, settings.ZeroMq is not null));
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
        }

        screen.EndStatus();
    }

    private async Task<int> StopAsync(ServeSettings settings, IServeHost host)
    {
        screen.WriteLine(
            $"stopping: what is queued is delivered, for {Duration.Format(settings.StopDeadline)} at most (Ctrl+C again stops at once)");
        using var deadline = new CancellationTokenSource(settings.StopDeadline, clock);
        var undelivered = await host.StopAsync(deadline.Token);
        if (undelivered == 0)
        {
            screen.WriteLine("stopped: everything was delivered");
            return ExitCode.Success;
        }

        screen.WriteErrorLine($"broker: stopped with {undelivered} {(undelivered == 1 ? "message" : "messages")} not delivered");
        return ExitCode.Undelivered;
    }
}
