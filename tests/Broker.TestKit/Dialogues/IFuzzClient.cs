namespace Broker.TestKit.Dialogues;

/// <summary>A client that says what it is told to, whatever that is. What can no longer be sent it lets go of.</summary>
public interface IFuzzClient : IDisposable
{
    /// <summary>Sends the text.</summary>
    /// <param name="text">Latin-1.</param>
    /// <param name="manner">By which number it chooses how the text is cut up; null for all in one.</param>
    void Say(string text, int? manner);

    /// <summary>The next line with its end; empty at the end of the stream.</summary>
    string ReadLine();

    byte[] ReadBytes(int count);

    /// <summary>Adds what it was answered beside the stream, once all of that has come. False at the end.</summary>
    bool TryReadBeside(List<string> heard);
}
