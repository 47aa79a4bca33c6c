using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>A socket of either implementation in a <see cref="Conversation"/>.</summary>
/// <param name="Socket">The socket.</param>
/// <param name="Type">The type of the socket.</param>
/// <param name="Id">The routing id, if the type has one.</param>
internal sealed record ConversationEnd(ForeignSocket Socket, string Type, string Id)
{
    public bool Begins => Type is "PUB" or "XPUB" or "PUSH" or "PAIR" or "DEALER" or "REQ";

    public bool OnlyListens => Type is "SUB" or "XSUB" or "PULL";

    public static async Task<ConversationEnd> MakeAsync(ForeignHost host, string type, string id, params (string Name, JsonNode Value)[] options)
    {
        (string, JsonNode)[] own = type switch
        {
            "ROUTER" => [("ROUTING_ID", id), ("ROUTER_MANDATORY", 1)],
            "DEALER" or "REQ" => [("ROUTING_ID", id)],
            _ => [],
        };
        return new ConversationEnd(await host.SocketAsync(type, [.. own, .. options]), type, id);
    }

    /// <summary>Subscribes to messages with this prefix if the socket is a subscriber.</summary>
    public async Task SubscribeAsync(params byte[] prefix)
    {
        if (Type == "SUB")
        {
            await Socket.SubscribeAsync(prefix);
        }
        else if (Type == "XSUB")
        {
            await Socket.SendAsync([[1, .. prefix]]);
        }
    }
}
