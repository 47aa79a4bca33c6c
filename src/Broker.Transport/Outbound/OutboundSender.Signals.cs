namespace Broker.Transport;

// The signals of a growing and shrinking queue. They are detected under the lock of the queue. The loop raises them in
// an iteration of its own, because a flush may happen in the middle of a handler's call.
internal sealed partial class OutboundSender
{
    private Action? _postedDrained;
    private Action? _postedLowWater;
    private long _lowWater;
    private bool _wasBlocked;
    private bool _isAboveLowWater;
    private bool _isLowWaterRequested;

    internal long MaxPendingBytes { get; set; } = 64L * 1024 * 1024;

    internal long LowWaterBytes
    {
        get => Volatile.Read(ref _lowWater);
        set
        {
            lock (Gate)
            {
                _lowWater = value;
                _isAboveLowWater = value != 0 && _queue.BufferedBytes > value;
            }
        }
    }

    internal void RequestLowWater()
    {
        lock (Gate)
        {
            _isLowWaterRequested = true;
            ArmLowWater();
            CheckLowWater();
        }
    }

    // Flushed bytes raise the queue above its mark. Ciphertext does not count as raising it: its amount changes with
    // each send, so a shrinking queue would cross its mark several times.
    private void ArmLowWater() => _isAboveLowWater |= _lowWater != 0 && _queue.BufferedBytes > _lowWater;

    // Checks the limit against all memory that waits, whatever it contains.
    private void CheckFull()
    {
        if (_queue.BufferedBytes > MaxPendingBytes && _acceptState == AcceptState.Open)
        {
            _acceptState = AcceptState.Full;
            Loop.PostClose(_connection, CloseReason.QueueFull);
        }
    }

    // A writer that asked for space while little waits may need more space than there is before the queue is empty.
    private void CheckLowWater()
    {
        bool isCrossed = _isAboveLowWater && _queue.BufferedBytes <= _lowWater;
        if (isCrossed || (_isLowWaterRequested && _queue.BufferedBytes == 0))
        {
            _isAboveLowWater = false;
            _isLowWaterRequested = false;
            Loop.Post(_postedLowWater ??= _connection.NotifyLowWater);
        }
    }

    private void CheckDrained()
    {
        if (_wasBlocked && _queue.IsEmpty && _layer is not { HasCiphertext: true })
        {
            _wasBlocked = false;
            Loop.Post(_postedDrained ??= _connection.NotifyDrained);
        }
    }
}
