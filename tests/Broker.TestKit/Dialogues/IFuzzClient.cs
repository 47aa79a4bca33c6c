namespace Broker.TestKit.Dialogues;

/// <summary>A client that sends any given text, valid or not. It ignores text that it can no longer send.</summary>
public interface IFuzzClient : IDisposable
{
    /// <summary>Sends the text.</summary>
    /// <param name="text">The text, encoded as Latin-1.</param>
    /// <param name="manner">A number that determines how the text is split into writes; null for one write.</param>
    void Say(string text, int? manner);

    /// <summary>Reads the next line with its line end; empty at the end of the stream.</summary>
    string ReadLine();

    byte[] ReadBytes(int count);

    /// <summary>
    /// Adds replies outside the stream when all of them have arrived. Returns false at the end of the connection.
    /// </summary>
    bool TryReadBeside(List<string> heard);
}
