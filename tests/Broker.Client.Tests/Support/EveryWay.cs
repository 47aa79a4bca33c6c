namespace Broker.Client.Tests.Support;

/// <summary>Every transport, with every server that supports it and both pollers of the client.</summary>
internal sealed class EveryWay : TheoryData<Way, ServerKind, bool>
{
    public EveryWay()
    {
        foreach (Way way in Enum.GetValues<Way>())
        {
            foreach (bool portable in (bool[])[false, true])
            {
                Add(way, ServerKind.Broker, portable);
                if (way is not (Way.Unix or Way.InProcess))
                {
                    Add(way, ServerKind.Nats, portable);
                }
            }
        }
    }
}
