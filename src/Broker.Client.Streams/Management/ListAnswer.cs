namespace Broker.Client.Streams;

/// <summary>A page of a list. Each kind of list has one of the arrays, and the array is null if it is empty.</summary>
internal sealed class ListAnswer<T>
{
    public int Total { get; set; }

    public int Limit { get; set; }

    public List<T>? Streams { get; set; }

    public List<T>? Consumers { get; set; }
}
