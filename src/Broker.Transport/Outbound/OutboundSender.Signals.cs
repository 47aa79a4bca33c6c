namespace Broker.Transport.Outbound;

// What the queue's growing and shrinking leads to. All of it under the gate, and told by the loop in a turn of its own:
// handing over may happen in the middle of a handler.
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

    // What a writer hands over lifts the queue above its mark. Ciphertext, of which there is more after one send and less after another,
    // does not: while it falls the queue would pass its mark several times.
    private void ArmLowWater() => _isAboveLowWater |= _lowWater != 0 && _queue.BufferedBytes > _lowWater;

    // Of what waits, whatever it is.
    private void CheckFull()
    {
        if (_queue.BufferedBytes > MaxPendingBytes && _acceptState == AcceptState.Open)
        {
            _acceptState = AcceptState.Full;
            Loop.PostClose(_connection, CloseReason.QueueFull);
        }
    }

    // Who asked for room while there is little to wait for may want more than there will be before all is gone.
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
