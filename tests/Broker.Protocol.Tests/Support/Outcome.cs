namespace Broker.Protocol.Tests.Support;

/// <summary>What a parser made of a stream: its operations, then what was wrong, or how many bytes it still holds.</summary>
internal sealed record Outcome(IReadOnlyList<string> Events, ProtocolError Error, int Rest, int Repeats)
{
    /// <summary>The same for every way of cutting a stream; how often a line was known again is not.</summary>
    internal string Text => string.Join('\n', Events) + $"\n{Error}" + (Error == ProtocolError.None ? $", {Rest} held" : "");
}
