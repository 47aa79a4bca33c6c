namespace Broker.Streams;

/// <summary>A read of the disk and what follows it.</summary>
internal interface IRead
{
    /// <summary>Reads. Called on the thread of the reads. Returns the size of the result in bytes.</summary>
    int Read();

    /// <summary>Uses the result. Called on the loop of the account.</summary>
    void Continue();
}
