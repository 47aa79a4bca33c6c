namespace Broker.Transport.Outbound;

// What the queue's growing and shrinking leads to. All of it under the gate, and told by the loop in a turn of its own:
// handing over may happen in the middle of a handler.
internal sealed partial class OutboundSender
{
    private Action? _postedDrained;
    private Action? _postedLowWater;
    private long _lowWater;
    private bool _isHeldUp;
    private bool _isAboveLowWater;
    private bool _isRoomWanted;

    internal long MaxPendingBytes { get; set; } = 64L * 1024 * 1024;

    internal long LowWaterBytes
    {
        get => Volatile.Read(ref _lowWater);
        set
        {
            lock (Gate)
            {
                _lowWater = value;
                _isAboveLowWater = value != 0 && _queue.HeldBytes > value;
            }
        }
    }

    internal void RequestLowWater()
    {
        lock (Gate)
        {
            _isRoomWanted = true;
            ArmLowWater();
            NoticeRoom();
        }
    }

    // What a writer hands over lifts the queue above its mark. Ciphertext, of which there is more after one send and less after another,
    // does not: while it falls the queue would pass its mark several times.
    private void ArmLowWater() => _isAboveLowWater |= _lowWater != 0 && _queue.HeldBytes > _lowWater;

    // Of what waits, whatever it is.
    private void NoticeFull()
    {
        if (_queue.HeldBytes > MaxPendingBytes && _intake == Intake.Open)
        {
            _intake = Intake.Full;
            Loop.PostClose(_connection, CloseReason.QueueFull);
        }
    }

    // Who asked for room while there is little to wait for may want more than there will be before all is gone.
    private void NoticeRoom()
    {
        bool isCrossed = _isAboveLowWater && _queue.HeldBytes <= _lowWater;
        if (isCrossed || (_isRoomWanted && _queue.HeldBytes == 0))
        {
            _isAboveLowWater = false;
            _isRoomWanted = false;
            Loop.Post(_postedLowWater ??= _connection.NotifyLowWater);
        }
    }

    private void NoticeEmpty()
    {
        if (_isHeldUp && _queue.IsEmpty && _layer is not { HasWire: true })
        {
            _isHeldUp = false;
            Loop.Post(_postedDrained ??= _connection.NotifyDrained);
        }
    }
}
