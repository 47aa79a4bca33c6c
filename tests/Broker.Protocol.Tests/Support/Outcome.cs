namespace Broker.Protocol.Tests.Support;

/// <summary>
/// The result of parsing a stream: its operations, and either the error or the number of unconsumed bytes.
/// </summary>
internal sealed record Outcome(IReadOnlyList<string> Events, ProtocolError Error, int Rest, int Repeats)
{
    /// <summary>This text does not depend on how the stream was split. The number of recognized repeats does.</summary>
    internal string Text => string.Join('\n', Events) + $"\n{Error}" + (Error == ProtocolError.None ? $", {Rest} held" : "");
}
