namespace Broker.Streams;

/// <summary>A store cannot be opened or used. The message names the reason and what is wanted.</summary>
internal sealed class StoreException : Exception
{
    public StoreException()
    {
    }

    public StoreException(string message)
        : base(message)
    {
    }

    public StoreException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
