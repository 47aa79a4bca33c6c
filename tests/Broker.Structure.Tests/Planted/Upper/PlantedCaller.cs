using Broker.Structure.Tests.Planted.Lower;

namespace Broker.Structure.Tests.Planted.Upper;

/// <summary>One half of the circle that the test must find: it calls the folder Lower.</summary>
internal static class PlantedCaller
{
    internal static int Value => PlantedEnd.Value + 1;
}
