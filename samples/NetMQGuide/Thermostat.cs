using NetMQ;
using NetMQ.Sockets;

namespace NetMQGuide;

/// <summary>
/// An actor with a poller, a timer and a queue: other threads put temperatures into the queue, and the actor tells the
/// program when the heating changes.
/// </summary>
internal static class Thermostat
{
    internal static void Run(TextWriter output)
    {
        using var temperatures = new NetMQQueue<int>();
        using NetMQActor actor = NetMQActor.Create(shim => Control(shim, temperatures));
        foreach (int degrees in new[] { 21, 19, 17, 18, 22, 16 })
        {
            temperatures.Enqueue(degrees);
        }

        output.WriteLine(actor.ReceiveFrameString());
        output.WriteLine(actor.ReceiveFrameString());
        output.WriteLine(actor.ReceiveFrameString());
        output.WriteLine(actor.ReceiveFrameString());
        actor.SendFrame("count");
        output.WriteLine(actor.ReceiveFrameString());
    }

    private static void Control(PairSocket shim, NetMQQueue<int> temperatures)
    {
        bool isOn = false;
        int count = 0;
        var timer = new NetMQTimer(TimeSpan.FromMilliseconds(10));
        using var poller = new NetMQPoller { shim, temperatures, timer };
        temperatures.ReceiveReady += (_, _) =>
        {
            int degrees = temperatures.Dequeue();
            count++;
            if (isOn != degrees < 20)
            {
                isOn = degrees < 20;
                shim.SendFrame($"{degrees} degrees: {(isOn ? "on" : "off")}");
            }
        };
        timer.Elapsed += (_, _) =>
        {
            // The first tick after all temperatures have come.
            if (count == 6)
            {
                timer.Enable = false;
                shim.SendFrame("the queue is empty");
            }
        };
        shim.ReceiveReady += (_, _) =>
        {
            string command = shim.ReceiveFrameString();
            if (command == NetMQActor.EndShimMessage)
            {
                poller.Stop();
            }
            else
            {
                shim.SendFrame($"{count} temperatures");
            }
        };
        shim.SignalOK();
        poller.Run();
    }
}
