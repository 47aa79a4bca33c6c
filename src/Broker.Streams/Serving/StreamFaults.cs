namespace Broker.Streams;

/// <summary>
/// Stops a stream after an error of the program, because what its publishers and consumers know may be wrong. Other
/// streams go on. Used on the loop of the account only.
/// </summary>
/// <param name="onFault">Receives each error; the errors of a stream that has stopped are not reported again.</param>
internal sealed class StreamFaults(Action<Exception> onFault)
{
    /// <summary>Reports an error, and stops the stream that it belongs to.</summary>
    /// <param name="stream">The stream; null if the error belongs to a request.</param>
    /// <param name="error">The error.</param>
    internal void Add(ServedStream? stream, Exception error)
    {
        if (stream is null)
        {
            onFault(error);
        }
        else if (stream.Stored.Fault is null)
        {
            using (StoreBatch batch = stream.Store.Begin())
            {
                stream.Stored.Fault = error.Message;
            }

            onFault(new InvalidOperationException(
                $"The stream '{stream.Name}' has stopped after an error. What it has acknowledged is stored, and a restart of the broker continues the stream.", error));
        }
    }
}
