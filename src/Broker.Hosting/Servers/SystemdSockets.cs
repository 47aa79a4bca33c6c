using System.Globalization;
using Broker.Transport;

namespace Broker.Hosting;

/// <summary>
/// The sockets that systemd has passed to this process (socket activation, see sd_listen_fds(3)). With such sockets,
/// clients can connect before the service runs and while it restarts.
/// </summary>
public static class SystemdSockets
{
    // The first passed file descriptor. Descriptors 0 to 2 are standard input, output and error.
    private const int First = 3;

    // systemd passes at most this number of sockets. A larger number is an error, and each descriptor would cost a
    // system call.
    private const int Most = 1024;

    /// <summary>
    /// Returns the sockets that are meant for this process, in the order of the socket unit. Without socket activation,
    /// the list is empty.
    /// </summary>
    /// <exception cref="FormatException">An environment variable is wrong. The message contains its name.</exception>
    public static IReadOnlyList<InheritedEndPoint> OfProcess() => Of(Environment.GetEnvironmentVariable, Environment.ProcessId);

    /// <param name="variable">Returns the value of an environment variable.</param>
    /// <param name="process">
    /// The id of this process. If LISTEN_PID contains another id, the result is empty, because a child of the service
    /// inherits the variables but not the sockets.
    /// </param>
    internal static IReadOnlyList<InheritedEndPoint> Of(Func<string, string?> variable, int process)
    {
        string id = process.ToString(CultureInfo.InvariantCulture);
        if (variable("LISTEN_FDS") is not { Length: > 0 } text || !string.Equals(variable("LISTEN_PID"), id, StringComparison.Ordinal))
        {
            return [];
        }

        if (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) || count > Most)
        {
            throw new FormatException($"LISTEN_FDS is \"{text}\": it must be the number of sockets");
        }

        string[] names = variable("LISTEN_FDNAMES") is { Length: > 0 } given ? given.Split(':') : [];
        return names.Length == 0 || names.Length == count
            ? [.. Enumerable.Range(0, count).Select(i => new InheritedEndPoint(First + i, names.Length == 0 ? null : names[i]))]
            : throw new FormatException($"LISTEN_FDNAMES has {names.Length} names for the {count} sockets of LISTEN_FDS");
    }
}
