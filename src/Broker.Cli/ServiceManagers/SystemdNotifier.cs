using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Broker.Cli.ServiceManagers;

/// <summary>
/// Tells systemd how a run goes, as sd_notify(3) describes it: ready, reloading, stopping, and that it is alive, as often as the unit's
/// <c>WatchdogSec=</c> asks for and the broker answers.
/// </summary>
/// <remarks>A datagram that cannot be sent is let go: the manager that it was for is gone or not listening, and serving goes on.</remarks>
internal sealed class SystemdNotifier : IServeObserver, IDisposable
{
    // What is closed after the deadline of a stop.
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
        // A name that begins with @ is none of a file: abstract sockets begin with a zero.
        _manager = new UnixDomainSocketEndPoint(path[0] == '@' ? "\0" + path[1..] : path);
        _socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { Blocking = false };
    }

    /// <summary>What the variables of this process ask for; null where no manager does.</summary>
    public static SystemdNotifier? OfProcess() => Of(Environment.GetEnvironmentVariable, Environment.ProcessId, TimeProvider.System);

    /// <param name="variable">Gives a variable of the environment.</param>
    /// <param name="process">The id of this process: the watchdog may be meant for another.</param>
    /// <param name="clock">For the watchdog.</param>
    internal static SystemdNotifier? Of(Func<string, string?> variable, int process, TimeProvider clock)
    {
        if (OperatingSystem.IsWindows() || variable("NOTIFY_SOCKET") is not ['/' or '@', _, ..] path)
        {
            return null;
        }

        bool isMeant = variable("WATCHDOG_PID") is not { Length: > 0 } pid || pid == process.ToString(CultureInfo.InvariantCulture);
        TimeSpan? watchdog = isMeant && long.TryParse(variable("WATCHDOG_USEC"), NumberStyles.None, CultureInfo.InvariantCulture, out long microseconds)
            && microseconds > 1 && microseconds < int.MaxValue * 1000L
            ? TimeSpan.FromMicroseconds(microseconds)
            : null;
        try
        {
            return new SystemdNotifier(path, watchdog, clock);
        }
        catch (Exception e) when (e is ArgumentException or SocketException)
        {
            // A path that is too long, or a system without such sockets.
            return null;
        }
    }

    /// <summary>
    /// From now on says that the broker is alive, each time that it has answered: one that hangs is told of no more, and systemd ends it.
    /// Nothing where the unit has no <c>WatchdogSec=</c>.
    /// </summary>
    /// <param name="answer">Completes when what serves has answered, with false when it cannot. Asked on a thread of the pool, once at a time.</param>
    public void Watch(Func<Task<bool>> answer)
    {
        if (_watchdog is { } within)
        {
            // Twice as often as asked for, as sd_watchdog_enabled(3) recommends.
            _timer = _clock.CreateTimer(_ => Ask(answer), null, within / 2, within / 2);
        }
    }

    public void OnStarted(ServeAddresses addresses, ServeSettings settings) => Send($"READY=1\nSTATUS=serving {string.Join(' ', addresses.Nats)}");

    // The time is that of CLOCK_MONOTONIC, which the stopwatch counts in nanoseconds on Linux.
    public void OnReloading() => Send(
        string.Create(CultureInfo.InvariantCulture, $"RELOADING=1\nMONOTONIC_USEC={Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1_000_000)}"));

    public void OnReloaded(IReadOnlyList<string> problems)
        => Send(problems.Count == 0 ? "READY=1\nSTATUS=serving, reloaded" : $"READY=1\nSTATUS=serving as before: {problems[0].ReplaceLineEndings(" ")}");

    public void OnLameDuck(TimeSpan within) => Send("STATUS=sending clients elsewhere");

    public void OnStopping(ServeStop stop)
    {
        string state = string.Create(CultureInfo.InvariantCulture, $"STOPPING=1\nSTATUS=delivering to {stop.Backlog.Clients} clients, {stop.Backlog.Bytes} bytes queued");
        if (stop.Left > TimeSpan.Zero)
        {
            // A stop may take longer than TimeoutStopSec= allows, but not for ever: when the deadline has come nothing is asked for any more.
            state += string.Create(CultureInfo.InvariantCulture, $"\nEXTEND_TIMEOUT_USEC={(long)(stop.Left + ClosingTime).TotalMicroseconds}");
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
            // Whatever became of this answer, the next is asked for.
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
            // See the remarks.
        }
    }
}
