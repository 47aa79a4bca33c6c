using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Broker.Cli.ServiceManagers;

/// <summary>
/// Tells systemd how a run goes, as sd_notify(3) describes it: ready, reloading, stopping, and while it serves that it is alive, as
/// often as the unit's <c>WatchdogSec=</c> asks for.
/// </summary>
/// <remarks>A datagram that cannot be sent is let go: the manager that it was for is gone or not listening, and serving goes on.</remarks>
internal sealed class SystemdNotifier : IServeObserver, IDisposable
{
    private readonly Socket _socket;
    private readonly UnixDomainSocketEndPoint _manager;
    private readonly ITimer? _watchdog;

    private SystemdNotifier(string path, TimeSpan? watchdog, TimeProvider clock)
    {
        // A name that begins with @ is none of a file: abstract sockets begin with a zero.
        _manager = new UnixDomainSocketEndPoint(path[0] == '@' ? "\0" + path[1..] : path);
        _socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { Blocking = false };
        if (watchdog is { } within)
        {
            // Twice as often as asked for, as sd_watchdog_enabled(3) recommends.
            _watchdog = clock.CreateTimer(_ => Send("WATCHDOG=1"), null, within / 2, within / 2);
        }
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

    public void OnStarted(ServeAddresses addresses, ServeSettings settings) => Send($"READY=1\nSTATUS=serving {string.Join(' ', addresses.Nats)}");

    // The time is that of CLOCK_MONOTONIC, which the stopwatch counts in nanoseconds on Linux.
    public void OnReloading() => Send(
        string.Create(CultureInfo.InvariantCulture, $"RELOADING=1\nMONOTONIC_USEC={Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1_000_000)}"));

    public void OnReloaded(IReadOnlyList<string> problems)
        => Send(problems.Count == 0 ? "READY=1\nSTATUS=serving, reloaded" : $"READY=1\nSTATUS=serving as before: {problems[0].ReplaceLineEndings(" ")}");

    public void OnLameDuck(TimeSpan within) => Send("STATUS=sending clients elsewhere");

    public void OnStopping(ServeStop stop) => Send(
        string.Create(CultureInfo.InvariantCulture, $"STOPPING=1\nSTATUS=delivering to {stop.Backlog.Clients} clients, {stop.Backlog.Bytes} bytes queued"));

    public void Dispose()
    {
        _watchdog?.Dispose();
        _socket.Dispose();
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
