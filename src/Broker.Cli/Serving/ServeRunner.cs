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

    /// <summary>Serves until a stop is asked for and answers the exit code.</summary>
    /// <param name="settings">What to serve.</param>
    /// <param name="host">Not started; the caller disposes it.</param>
    /// <param name="control">What it is asked for meanwhile.</param>
    /// <param name="reread">Reads the settings again, for a reload.</param>
    public async Task<int> RunAsync(ServeSettings settings, IServeHost host, ServeControl control, Func<ServeSettings> reread)
    {
        var stop = control.Stop;
        try
        {
            using var logging = ServeLogging.Start(settings, screen, clock);
            using var pid = settings.PidFile is { } pidFile ? PidFile.Write(pidFile) : null;
            var addresses = await StartAsync(settings, host, logging, stop);
            using var ports = settings.PortsFileDirectory is { } directory ? PortsFile.Write(directory, addresses, settings.Program) : null;
            logging.Release();
            foreach (var line in WelcomeText.Of(addresses, settings))
                screen.WriteLine(line);
            using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
            var showing = ShowCountsAsync(settings, host, ended.Token);
            settings = await AnswerAsync(settings, host, control, logging, reread);
            await ended.CancelAsync();
            await showing;
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

    // Until a stop is asked for, or lame duck mode has come to its end. Answers the settings then in use.
    private async Task<ServeSettings> AnswerAsync(
        ServeSettings settings, IServeHost host, ServeControl control, ServeLogging logging, Func<ServeSettings> reread)
    {
        try
        {
            while (true)
            {
                switch (await control.Requests.ReadAsync(control.Stop))
                {
                    case ControlRequest.Reload:
                        settings = await ReloadAsync(settings, host, logging, reread);
                        break;
                    case ControlRequest.ReopenLog:
                        await TryAsync("reopen the log", () =>
                        {
                            logging.Reload(settings);
                            return Task.CompletedTask;
                        });
                        break;
                    case ControlRequest.LameDuck:
                        screen.WriteLine(
                            $"lame duck mode: clients are sent elsewhere, within {Duration.Format(settings.LameDuckDuration)}");
                        await host.EnterLameDuckAsync(control.Stop);
                        return settings;
                }
            }
        }
        catch (OperationCanceledException) when (control.Stop.IsCancellationRequested)
        {
            return settings;
        }
    }

    private async Task<ServeSettings> ReloadAsync(ServeSettings before, IServeHost host, ServeLogging logging, Func<ServeSettings> reread)
    {
        var after = before;
        await TryAsync("reload", async () =>
        {
            var read = reread();
            if (FixedSettings.Changed(before, read) is [_, ..] changed)
                throw new ServeStartException($"{string.Join(", ", changed)} cannot change without a restart");
            await host.ReloadAsync(read);
            after = read;
            logging.Reload(read);
            screen.WriteLine("the configuration was reloaded");
        });
        return after;
    }

    private async Task TryAsync(string what, Func<Task> action)
    {
        try
        {
            await action();
        }
        catch (ConfigException e)
        {
            foreach (var problem in e.Problems)
                screen.WriteErrorLine($"broker: cannot {what}: {problem}");
        }
        catch (Exception e) when (e is ServeStartException or ConfigUnreadableException)
        {
            screen.WriteErrorLine($"broker: cannot {what}: {e.Message}");
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
            // The host is stopping.
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
