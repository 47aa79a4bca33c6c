using Broker.Client;

namespace Migration;

/// <summary>The monitor as a NATS client.</summary>
public sealed class NativeMonitor(int devices)
{
    private readonly TaskCompletionSource<int> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _events;
    private int _ended;

    /// <summary>The number of events, when all devices have ended.</summary>
    public Task<int> Events => _done.Task;

    /// <summary>Handles one message of a device.</summary>
    public void OnEvent(in MessageView message)
    {
        if (message.Body.SequenceEqual("end"u8))
        {
            if (++_ended == devices)
            {
                _done.TrySetResult(_events);
            }
        }
        else if (!message.Body.SequenceEqual("here"u8))
        {
            _events++;
        }
    }
}
