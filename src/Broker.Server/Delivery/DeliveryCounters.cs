namespace Broker.Server;

/// <summary>
/// The deliveries of one loop to one client. Only that loop writes the counters, so a plain addition is sufficient.
/// </summary>
internal struct DeliveryCounters
{
    internal long Messages;
    internal long PayloadBytes;

    internal void Count(int payload)
    {
        Messages++;
        PayloadBytes += payload;
    }

    internal void Count(int messages, long payload)
    {
        Messages += messages;
        PayloadBytes += payload;
    }
}
