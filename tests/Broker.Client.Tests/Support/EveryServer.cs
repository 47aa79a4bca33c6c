namespace Broker.Client.Tests.Support;

/// <summary>Both servers, and for each of them both pollers of the client.</summary>
internal sealed class EveryServer : TheoryData<ServerKind, bool>
{
    public EveryServer()
    {
        foreach (ServerKind kind in Enum.GetValues<ServerKind>())
        {
            Add(kind, false);
            Add(kind, true);
        }
    }
}
