using System.Globalization;

namespace Broker.Cli.Terminal;

/// <summary>Formats the live counts and the progress of a stop.</summary>
internal static class StatusText
{
    public static string Of(in ServeCounts counts, bool withZeroMq)
    {
        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"{Number(counts.Connections, "client")}, {Number(counts.Subscriptions, "sub")} | "
            + $"in {counts.MessagesIn:N0} ({Size(counts.BytesIn)}) out {counts.MessagesOut:N0} ({Size(counts.BytesOut)})");
        if (withZeroMq)
        {
            text += string.Create(
                CultureInfo.InvariantCulture,
                $" | zmq {Number(counts.ZeroMqPeers, "peer")} in {counts.ZeroMqMessagesIn:N0} out {counts.ZeroMqMessagesOut:N0}");
        }

        return text + string.Create(CultureInfo.InvariantCulture, $" | dropped {counts.Dropped:N0}");
    }

    public static string OfBridge(in ServeCounts counts) => string.Create(
        CultureInfo.InvariantCulture,
        $"zmq {Number(counts.ZeroMqPeers, "peer")} in {counts.ZeroMqMessagesIn:N0} out {counts.ZeroMqMessagesOut:N0} | dropped {counts.Dropped:N0}");

    public static string Of(in ServeStop stop) => string.Create(
        CultureInfo.InvariantCulture,
        $"stopping: {Number(stop.Backlog.Clients, "client")}, {Size(stop.Backlog.Bytes)} queued, {Math.Ceiling(stop.Left.TotalSeconds):N0} s left");

    /// <summary>Returns the number with the word, as "1 client" or "2 clients".</summary>
    internal static string Number(long number, string what) => string.Create(CultureInfo.InvariantCulture, $"{number:N0} {what}{(number == 1 ? "" : "s")}");

    private static string Size(long bytes)
    {
        ReadOnlySpan<string> units = ["B", "KB", "MB", "GB", "TB"];
        double value = (double)bytes;
        int unit = 0;
        while (value >= 1024 && unit < units.Length - 1)
        {
            value /= 1024;
            unit++;
        }

        return value.ToString(unit == 0 ? "0 " : "0.0 ", CultureInfo.InvariantCulture) + units[unit];
    }
}
