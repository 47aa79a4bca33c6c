using System.Globalization;

namespace Broker.NetMQ.Tests;

/// <summary>How much the tests pass: <c>BROKER_NETMQ_MESSAGES</c>, or so little that the suite stays quick.</summary>
internal static class Amount
{
    private const string Variable = "BROKER_NETMQ_MESSAGES";

    /// <summary>Messages in one direction.</summary>
    internal static int Messages { get; } = Wanted ?? 5000;

    /// <summary>
    /// Messages that are answered. Some sockets await each answer, so the quick form has fewer of them.
    /// </summary>
    internal static int Exchanges { get; } = Wanted ?? 1000;

    private static int? Wanted => int.TryParse(
        Environment.GetEnvironmentVariable(Variable), NumberStyles.None, CultureInfo.InvariantCulture, out int messages) ? messages : null;
}
