namespace Broker.Server.Delivery;

/// <summary>What one loop has delivered to one client. Written on that loop only, so that a plain addition is enough.</summary>
internal struct DeliveryTally
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
