namespace Broker.Streams;

/// <summary>A page of a list.</summary>
internal class PageAnswer : ApiAnswer
{
    public int Total { get; init; }

    public int Offset { get; init; }

    public int Limit { get; init; }
}
