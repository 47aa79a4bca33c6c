using Broker.Structure.Tests.Planted.Lower;
using Broker.Structure.Tests.Planted.Upper;

namespace Broker.Structure.Tests.Planted;

/// <summary>Uses both folders below it, and neither uses it.</summary>
internal static class PlantedRoot
{
    internal static int Sum => PlantedCaller.Value + PlantedEnd.Value;
}
