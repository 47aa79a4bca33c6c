using System.Net.Sockets;
using Broker.Cli.Configuration;
using Broker.Cli.Logging;
using Broker.Cli.Terminal;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>Runs a host from start to stop and notifies the observers. The terminal is the first observer.</summary>
internal sealed class ServeRunner(Screen screen, TimeProvider clock, params IEnumerable<IServeObserver> observers)
{
    private static readonly TimeSpan TerminalPace = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan PlainPace = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan StopPace = TimeSpan.FromSeconds(1);

    /// <summary>A second log provider for a run without a terminal, such as the Windows event log, or null.</summary>
    public ILoggerProvider? Events { get; init; }

    /// <summary>Serves until a stop is requested, and returns the exit code.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="host">The host, which must not be started. The caller disposes it.</param>
    /// <param name="control">Receives requests while serving.</param>
    /// <param name="reread">Reads the settings again for a reload.</param>
    public async Task<int> RunAsync(ServeSettings settings, IServeHost host, ServeControl control, Func<ServeSettings> reread)
    {
        using var console = new ServeConsole(screen, settings);
        var told = new ServeObservers(observers.Prepend(console));
        try
        {
            using var logging = ServeLogging.Start(settings, screen, clock, Events);
            told.Logger = logging.Factory.CreateLogger("broker");
            if (settings.LogFile is not null || Events is not null)
            {
                told.Add(new ServeLog(told.Logger));
            }

            ServeResult result = await ServeAsync(settings, host, control, reread, logging, told);
            told.OnStopped(result);
            return result.ExitCode;
        }
        catch (ServeStartException e)
        {
            // The log could not be opened.
            told.OnStopped(Failed(e));
            return ExitCode.Failure;
        }
    }

    private async Task<ServeResult> ServeAsync(
        ServeSettings settings, IServeHost host, ServeControl control, Func<ServeSettings> reread, ServeLogging logging, ServeObservers told)
    {
        try
        {
            using PidFile? pid = settings.PidFile is { } pidFile ? PidFile.Write(pidFile) : null;
            ServeAddresses addresses = await StartAsync(settings, host, logging, control.Stop);
            using PortsFile? ports = settings.PortsFileDirectory is { } directory
                ? PortsFile.Write(directory, addresses, settings.Program)
                : null;
            logging.Release();
            host.ReloadOnRequest(control.ReloadAsync);
            host.LameDuckOnRequest(() => control.Request(ControlRequest.LameDuck));
            told.OnStarted(addresses, settings);
            logging.ReleaseWarnings();
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(control.Stop))
            {
                Task showing = ShowCountsAsync(settings, host, told, ended.Token);
                settings = await AnswerAsync(settings, host, control, logging, reread, told);
                await ended.CancelAsync();
                await showing;
            }

            return await StopAsync(settings, host, told);
        }
        catch (ServeStartException e)
        {
            return Failed(e);
        }
        catch (OperationCanceledException) when (control.Stop.IsCancellationRequested)
        {
            // The stop came during the start: no message was accepted, so none is undelivered.
            return new ServeResult(ExitCode.Success);
        }
        catch (Exception e)
        {
            // An unexpected error ends the process. Observers such as a service manager must be notified before the
            // process ends.
            told.OnStopped(Failed(e));
            throw;
        }
    }

    private static ServeResult Failed(Exception e) => new(ExitCode.Failure, 0, e.Message);

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

    // Executes requests until a stop is requested or lame duck mode has ended. Returns the settings in use at that
    // time.
    private static async Task<ServeSettings> AnswerAsync(
        ServeSettings settings, IServeHost host, ServeControl control, ServeLogging logging, Func<ServeSettings> reread, ServeObservers told)
    {
        // Waits without a token. The first exception of a native program costs 15 ms, and every stop would pay for it.
        while (await control.Requests.WaitToReadAsync(CancellationToken.None) && !control.Stop.IsCancellationRequested)
        {
            if (!control.Requests.TryRead(out ControlRequest request))
            {
                continue;
            }

            switch (request)
            {
                case ControlRequest.Reload:
                    settings = await ReloadAsync(settings, host, control, logging, reread, told);
                    break;
                case ControlRequest.ReopenLog:
                    ReopenLog(settings, logging, told);
                    break;
                case ControlRequest.LameDuck:
                    told.OnLameDuck(settings.LameDuckDuration);
                    await EnterLameDuckAsync(host, control.Stop);
                    return settings;
            }
        }

        return settings;
    }

    private static async Task EnterLameDuckAsync(IServeHost host, CancellationToken stop)
    {
        try
        {
            await host.EnterLameDuckAsync(stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // A stop was requested in lame duck mode.
        }
    }

    private static async Task<ServeSettings> ReloadAsync(
        ServeSettings before, IServeHost host, ServeControl control, ServeLogging logging, Func<ServeSettings> reread, ServeObservers told)
    {
        ReloadRequest? request = control.TakeReload();
        told.OnReloading();
        try
        {
            ServeSettings after = reread();
            if (FixedSettings.Changed(before, after) is [_, ..] changed)
            {
                throw new ServeStartException($"{string.Join(", ", changed)} cannot change without a restart");
            }

            await ReloadAsync(before, after, host, logging);
            End([]);
            return after;
        }
        catch (ConfigException e)
        {
            End([.. e.Problems.Select(p => p.ToString())]);
        }
        catch (Exception e) when (e is ServeStartException or ConfigUnreadableException)
        {
            End([e.Message]);
        }

        return before;

        void End(IReadOnlyList<string> problems)
        {
            told.OnReloaded(problems);
            request?.Complete(problems);
        }
    }

    // The log is reloaded first, because it may fail, and because the host checks the log level when it reloads.
    private static async Task ReloadAsync(ServeSettings before, ServeSettings after, IServeHost host, ServeLogging logging)
    {
        logging.Reload(after);
        try
        {
            await host.ReloadAsync(after);
        }
        catch
        {
            logging.ApplyLevel(before);
            throw;
        }
    }

    private static void ReopenLog(ServeSettings settings, ServeLogging logging, ServeObservers told)
    {
        try
        {
            logging.Reload(settings);
        }
        catch (ServeStartException e)
        {
            told.OnProblem($"cannot reopen the log: {e.Message}");
        }
    }

    private async Task ShowCountsAsync(ServeSettings settings, IServeHost host, ServeObservers told, CancellationToken stop)
    {
        if (settings.Quiet)
        {
            return;
        }

        using var timer = new PeriodicTimer(screen.IsTerminal ? TerminalPace : PlainPace, clock);
        using CancellationTokenRegistration end = stop.Register(timer.Dispose);
        var shown = default(ServeCounts);
        while (await timer.WaitForNextTickAsync(CancellationToken.None))
        {
            ServeCounts counts = host.ReadCounts();
            if (counts != shown)
            {
                shown = counts;
                told.OnCounts(counts);
            }
        }
    }

    private async Task<ServeResult> StopAsync(ServeSettings settings, IServeHost host, ServeObservers told)
    {
        long begin = clock.GetTimestamp();
        told.OnStopping(new ServeStop(host.ReadBacklog(), settings.StopDeadline));
        using var deadline = new CancellationTokenSource(settings.StopDeadline, clock);
        using var ended = new CancellationTokenSource();
        Task telling = TellStopAsync(settings, host, begin, told, ended.Token);
        try
        {
            long undelivered = await host.StopAsync(deadline.Token);
            return new ServeResult(undelivered == 0 ? ExitCode.Success : ExitCode.Undelivered, undelivered);
        }
        finally
        {
            await ended.CancelAsync();
            await telling;
        }
    }

    private async Task TellStopAsync(ServeSettings settings, IServeHost host, long begin, ServeObservers told, CancellationToken ended)
    {
        using var timer = new PeriodicTimer(StopPace, clock);
        using CancellationTokenRegistration end = ended.Register(timer.Dispose);
        while (await timer.WaitForNextTickAsync(CancellationToken.None))
        {
            TimeSpan left = settings.StopDeadline - clock.GetElapsedTime(begin);
            told.OnStopping(new ServeStop(host.ReadBacklog(), left > TimeSpan.Zero ? left : TimeSpan.Zero));
        }
    }
}
