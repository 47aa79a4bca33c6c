using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Broker.Cli.Terminal;

namespace Broker.Cli.ServiceManagers;

/// <summary>
/// Notifies systemd about a run, as sd_notify(3) describes: ready, reloading and stopping. If the unit has
/// <c>WatchdogSec=</c>, it also reports that the broker is alive, as long as the broker responds.
/// </summary>
/// <remarks>
/// Errors of sending are ignored: serving continues even if the service manager does not exist or does not listen.
/// </remarks>
internal sealed class SystemdNotifier : IServeObserver, IDisposable
{
    // The time for closing everything after the stop deadline.
    private static readonly TimeSpan ClosingTime = TimeSpan.FromSeconds(10);

    private readonly Socket _socket;
    private readonly UnixDomainSocketEndPoint _manager;
    private readonly TimeSpan? _watchdog;
    private readonly TimeProvider _clock;
    private ITimer? _timer;
    private int _isAsking;

    private SystemdNotifier(string path, TimeSpan? watchdog, TimeProvider clock)
    {
        _watchdog = watchdog;
        _clock = clock;
        // '@' marks an abstract socket. Its address begins with a zero byte, and it is not a file.
        _manager = new UnixDomainSocketEndPoint(path[0] == '@' ? "\0" + path[1..] : path);
        _socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { Blocking = false };
    }

    /// <summary>
    /// Returns the notifier for this process's environment, or null if no service manager asks for notifications.
    /// </summary>
    public static SystemdNotifier? OfProcess() => Of(Environment.GetEnvironmentVariable, Environment.ProcessId, TimeProvider.System);

    /// <param name="variable">Returns the value of an environment variable.</param>
    /// <param name="process">The id of this process, because the watchdog may be for another process.</param>
    /// <param name="clock">The clock of the watchdog.</param>
    internal static SystemdNotifier? Of(Func<string, string?> variable, int process, TimeProvider clock)
    {
        if (OperatingSystem.IsWindows() || variable("NOTIFY_SOCKET") is not ['/' or '@', _, ..] path)
        {
            return null;
        }

        bool isMeant = variable("WATCHDOG_PID") is not { Length: > 0 } pid || pid == process.ToString(CultureInfo.InvariantCulture);
        TimeSpan? watchdog = isMeant
            && long.TryParse(variable("WATCHDOG_USEC"), NumberStyles.None, CultureInfo.InvariantCulture, out long microseconds)
            && microseconds > 1 && microseconds < int.MaxValue * 1000L
            ? TimeSpan.FromMicroseconds(microseconds)
            : null;
        try
        {
            return new SystemdNotifier(path, watchdog, clock);
        }
        catch (Exception e) when (e is ArgumentException or SocketException)
        {
            // The path is too long, or the system has no Unix sockets.
            return null;
        }
    }

    /// <summary>
    /// Starts to report to the watchdog of systemd that the broker is alive, each time that the broker has responded.
    /// If the broker hangs, the reports end and systemd kills the process. Without <c>WatchdogSec=</c> in the unit,
    /// this method does nothing.
    /// </summary>
    /// <param name="answer">
    /// Completes when the host has responded, with false if it cannot serve. Called on a thread of the pool, never
    /// twice at a time.
    /// </param>
    public void Watch(Func<Task<bool>> answer)
    {
        if (_watchdog is { } within)
        {
            // Half of the watchdog's interval, as sd_watchdog_enabled(3) recommends.
            _timer = _clock.CreateTimer(_ => Ask(answer), null, within / 2, within / 2);
        }
    }

    public void OnStarted(ServeAddresses addresses, ServeSettings settings) => Send($"READY=1\nSTATUS=serving {string.Join(' ', addresses.Nats)}");

    public void OnReloading()
    {
        // systemd expects microseconds of CLOCK_MONOTONIC. On Linux, Stopwatch counts the nanoseconds of this clock.
        long microseconds = Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1_000_000);
        Send(string.Create(CultureInfo.InvariantCulture, $"RELOADING=1\nMONOTONIC_USEC={microseconds}"));
    }

    public void OnReloaded(IReadOnlyList<string> problems)
        => Send(problems.Count == 0
            ? "READY=1\nSTATUS=serving, reloaded"
            : $"READY=1\nSTATUS=serving, reload failed: {problems[0].ReplaceLineEndings(" ")}");

    public void OnLameDuck(TimeSpan within) => Send("STATUS=lame duck mode");

    public void OnStopping(ServeStop stop)
    {
        string state = string.Create(
            CultureInfo.InvariantCulture,
            $"STOPPING=1\nSTATUS=delivering to {StatusText.Number(stop.Backlog.Clients, "client")}, {stop.Backlog.Bytes} bytes queued");
        if (stop.Left > TimeSpan.Zero)
        {
            // A stop may take longer than TimeoutStopSec=. After the stop deadline, the time is not extended any more.
            long extension = (long)(stop.Left + ClosingTime).TotalMicroseconds;
            state += string.Create(CultureInfo.InvariantCulture, $"\nEXTEND_TIMEOUT_USEC={extension}");
        }

        Send(state);
    }

    public void Dispose()
    {
        _timer?.Dispose();
        _socket.Dispose();
    }

    private void Ask(Func<Task<bool>> answer)
    {
        if (Interlocked.Exchange(ref _isAsking, 1) == 0)
        {
            _ = AskAsync(answer);
        }
    }

    private async Task AskAsync(Func<Task<bool>> answer)
    {
        try
        {
            if (await answer().ConfigureAwait(false))
            {
                Send("WATCHDOG=1");
            }
        }
        finally
        {
            // The next check must be possible, also after an exception.
            Volatile.Write(ref _isAsking, 0);
        }
    }

    private void Send(string state)
    {
        try
        {
            _socket.SendTo(Encoding.UTF8.GetBytes(state), _manager);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The remarks of the class say why this error is ignored.
        }
    }
}
