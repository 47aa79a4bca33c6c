namespace Broker.Client.Tests.Support;

/// <summary>Counts messages and completes a task at the expected number.</summary>
internal sealed class Counter(long expected)
{
    private readonly TaskCompletionSource _complete = Wait.Source();
    private long _count;

    public long Count => Volatile.Read(ref _count);

    public Task Complete => Wait.For(_complete);

    public void Take(in MessageView message)
    {
        if (++_count == expected)
        {
            _complete.SetResult();
        }
    }
}
