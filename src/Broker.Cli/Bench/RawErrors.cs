using System.Text;

namespace Broker.Cli.Bench;

/// <summary>The errors of a measurement's connections, which any of their threads reports.</summary>
/// <param name="report">Receives the text of an error of the server.</param>
internal sealed class RawErrors(Action<string> report)
{
    private readonly TaskCompletionSource _failure = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _refusals;

    /// <summary>Fails with the first lost connection. It does not complete otherwise.</summary>
    public Task Failure => _failure.Task;

    /// <summary>Reports an error of the server. A server may send one for each message: only the first is reported.</summary>
    public void Refuse(ReadOnlySpan<byte> text)
    {
        if (Interlocked.Increment(ref _refusals) == 1)
        {
            report(Encoding.UTF8.GetString(text));
        }
    }

    /// <summary>Reports that a connection cannot go on.</summary>
    public void Fail(Exception error) => _failure.TrySetException(error);
}
