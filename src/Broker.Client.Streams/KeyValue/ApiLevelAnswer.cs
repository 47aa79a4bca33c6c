namespace Broker.Client.Streams;

/// <summary>The part of the answer about an account that says what the server can do.</summary>
internal sealed class ApiLevelAnswer
{
    public ApiLevel Api { get; set; } = new();
}
