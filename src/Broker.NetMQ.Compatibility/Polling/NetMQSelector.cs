using System.Diagnostics;
using System.Net.Sockets;

namespace NetMQ;

/// <summary>Waits until one of some sockets is ready.</summary>
public sealed class NetMQSelector
{
    /// <summary>Waits for one of the first items of an array, and marks those that are ready.</summary>
    /// <param name="items">The items.</param>
    /// <param name="itemsCount">How many items of the array count.</param>
    /// <param name="timeout">How long to wait in milliseconds; a negative value waits without a limit.</param>
    /// <returns>False if none became ready.</returns>
    public bool Select(Item[] items, int itemsCount, long timeout)
    {
        ArgumentNullException.ThrowIfNull(items);
        long start = Stopwatch.GetTimestamp();
        TimeSpan limit = timeout < 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(timeout);
        using var signal = new WakeSignal();
        var handles = new PollerHandles(signal);
        Item[] waited = [.. items.AsSpan(0, itemsCount)];
        foreach (Item item in waited)
        {
            item.Begin(signal, handles);
        }

        try
        {
            while (true)
            {
                signal.Reset();
                handles.Serve();
                bool isReady = false;
                foreach (Item item in waited)
                {
                    isReady |= item.Check();
                }

                if (isReady || !signal.Wait(limit, start))
                {
                    return isReady;
                }
            }
        }
        finally
        {
            handles.Clear();
            Array.ForEach(waited, item => item.End(signal));
        }
    }

    /// <summary>A socket to wait for.</summary>
    public sealed class Item
    {
        /// <summary>Creates an item for a socket.</summary>
        public Item(NetMQSocket socket, PollEvents @event)
        {
            Socket = socket;
            Event = @event;
        }

        /// <summary>Creates an item for a socket of the base library.</summary>
        public Item(Socket fileDescriptor, PollEvents @event)
        {
            FileDescriptor = fileDescriptor;
            Event = @event;
        }

        /// <summary>The socket of the base library; null if the item has another socket.</summary>
        public Socket FileDescriptor { get; } = null!;

        /// <summary>The socket; null if the item has a socket of the base library.</summary>
        public NetMQSocket Socket { get; } = null!;

        /// <summary>The operations to wait for.</summary>
        public PollEvents Event { get; }

        /// <summary>The operations that the socket was ready for.</summary>
        public PollEvents ResultEvent { get; set; }

        internal void Begin(WakeSignal signal, PollerHandles handles)
        {
            ResultEvent = PollEvents.None;
            Socket?.Readiness.Add(signal);
            if (FileDescriptor is not null && Event.HasIn())
            {
                handles.Add(FileDescriptor, _ => ResultEvent |= PollEvents.PollIn);
            }
        }

        internal bool Check()
        {
            if (Socket is not null)
            {
                ResultEvent = Socket.ReadyNow(Event);
            }
            else if (Event.HasOut() && FileDescriptor.Poll(0, SelectMode.SelectWrite))
            {
                ResultEvent |= PollEvents.PollOut;
            }

            return ResultEvent != PollEvents.None;
        }

        internal void End(WakeSignal signal) => Socket?.Readiness.Remove(signal);
    }
}
