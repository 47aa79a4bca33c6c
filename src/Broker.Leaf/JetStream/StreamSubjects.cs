namespace Broker.Leaf;

/// <summary>The subjects of streams. They pass no link of an account that has streams in this server.</summary>
internal static class StreamSubjects
{
    internal static readonly string[] All = ["$JS.API.>", "$KV.>", "$OBJ.>"];
}
