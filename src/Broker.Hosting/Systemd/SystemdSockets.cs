using System.Globalization;
using Broker.Transport;

namespace Broker.Hosting;

/// <summary>
/// The sockets that systemd has opened for this process before it started it, as sd_listen_fds(3) describes it (socket activation): its
/// addresses are there before the service is, and stay while it is started again.
/// </summary>
public static class SystemdSockets
{
    // After standard input, output and error.
    private const int First = 3;

    // The manager's own limit; more are a mistake, and each would be asked for.
    private const int Most = 1024;

    /// <summary>Those that are meant for this process, in the order of the unit; none where it was not started so.</summary>
    /// <exception cref="FormatException">The variables that tell of them are wrong; the text names the one.</exception>
    public static IReadOnlyList<InheritedEndPoint> OfProcess() => Of(Environment.GetEnvironmentVariable, Environment.ProcessId);

    /// <param name="variable">Gives a variable of the environment.</param>
    /// <param name="process">The id of this process: a program that a service starts has the variables too, and not the sockets.</param>
    internal static IReadOnlyList<InheritedEndPoint> Of(Func<string, string?> variable, int process)
    {
        string id = process.ToString(CultureInfo.InvariantCulture);
        if (variable("LISTEN_FDS") is not { Length: > 0 } text || !string.Equals(variable("LISTEN_PID"), id, StringComparison.Ordinal))
        {
            return [];
        }

        if (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) || count > Most)
        {
            throw new FormatException($"LISTEN_FDS is \"{text}\", which is no count of sockets");
        }

        string[] names = variable("LISTEN_FDNAMES") is { Length: > 0 } given ? given.Split(':') : [];
        return names.Length == 0 || names.Length == count
            ? [.. Enumerable.Range(0, count).Select(i => new InheritedEndPoint(First + i, names.Length == 0 ? null : names[i]))]
            : throw new FormatException($"LISTEN_FDNAMES has {names.Length} names for the {count} sockets of LISTEN_FDS");
    }
}
